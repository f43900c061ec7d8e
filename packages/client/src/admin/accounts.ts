import type {
  AdministeredCustomUserData,
  AdministeredFactorData,
  AdministeredGroupData,
  AdministeredUserData,
  CustomUserChangeData,
  GroupChangeData,
  NewCustomUserData,
  NewGroupData,
  NewUserData,
  SetPasswordData,
  UserChangeData,
} from "@sallyport/contract";
import type { CallLimits } from "../transport/deadline.ts";
import { type AdminCalls, type ChangeOptions, type Page, type PageOptions, paged } from "./admin-calls.ts";

export interface SearchOptions extends PageOptions {
  /** Part of the names. Default: all. */
  readonly search?: string | undefined;
}

export interface FactorOptions extends CallLimits {
  /** App name of the factor. Default: all. */
  readonly app?: string | undefined;
}

/** Passwords and second factors of an account, by its id. */
class Credentials {
  constructor(
    protected readonly calls: AdminCalls,
    private readonly account: "users/{userId}" | "customUsers/{customUserId}",
  ) {}

  /**
   * Sets the password as a person types it, or imports the MD5 of one as `{ passwordDigest }`. Ends the sessions of the
   * account. Needs a recent proof.
   */
  async setPassword(id: string, password: string | SetPasswordData, limits: CallLimits = {}): Promise<void> {
    const body = typeof password === "string" ? { password } : password;
    await this.calls.send(`PUT /admin/v1/${this.account}/password`, { ...limits, path: pathOf(id), body });
  }

  async factors(id: string, limits: CallLimits = {}): Promise<readonly AdministeredFactorData[]> {
    return (await this.calls.send(`GET /admin/v1/${this.account}/factors`, { ...limits, path: pathOf(id) })).items;
  }

  /** Removes lost second factors. 304 if there is none. Needs a recent proof. */
  async removeFactors(id: string, { app, ...limits }: FactorOptions = {}): Promise<void> {
    const request = { path: pathOf(id), query: { app } };
    await this.calls.send(`DELETE /admin/v1/${this.account}/factors`, { ...limits, ...request });
  }
}

const pathOf = (id: string) => ({ userId: id, customUserId: id });

/** Second factors of all owners: users, custom users, and linked accounts with a shared user. */
export class Factors {
  constructor(private readonly calls: AdminCalls) {}

  list(options: PageOptions = {}): Promise<Page<AdministeredFactorData>> {
    return this.calls.send("GET /admin/v1/factors", paged(options));
  }

  /** Removes lost second factors of the owner of a listed one. 304 if there is none. Needs a recent proof. */
  async remove(subject: string, { app, ...limits }: FactorOptions = {}): Promise<void> {
    await this.calls.send("DELETE /admin/v1/factors/{subject}", { ...limits, path: { subject }, query: { app } });
  }
}

/** Database users. */
export class Users extends Credentials {
  constructor(calls: AdminCalls) {
    super(calls, "users/{userId}");
  }

  list({ search, ...options }: SearchOptions = {}): Promise<Page<AdministeredUserData>> {
    return this.calls.send("GET /admin/v1/users", paged(options, { search }));
  }

  get(userId: string, limits: CallLimits = {}): Promise<AdministeredUserData> {
    return this.calls.send("GET /admin/v1/users/{userId}", { ...limits, path: { userId } });
  }

  /** With `password`, or `passwordDigest`. 320 for a refused password, 307 for a taken name. Needs a recent proof. */
  create(user: NewUserData, limits: CallLimits = {}): Promise<AdministeredUserData> {
    return this.calls.send("POST /admin/v1/users", { ...limits, body: user });
  }

  /** Changes the given members. Needs a recent proof. */
  change(userId: string, change: UserChangeData, options: ChangeOptions): Promise<AdministeredUserData> {
    return this.calls.send("PATCH /admin/v1/users/{userId}", { ...options, path: { userId }, body: change });
  }
}

/** User groups. */
export class Groups {
  constructor(private readonly calls: AdminCalls) {}

  list({ search, ...options }: SearchOptions = {}): Promise<Page<AdministeredGroupData>> {
    return this.calls.send("GET /admin/v1/groups", paged(options, { search }));
  }

  get(groupId: string, limits: CallLimits = {}): Promise<AdministeredGroupData> {
    return this.calls.send("GET /admin/v1/groups/{groupId}", { ...limits, path: { groupId } });
  }

  create(group: NewGroupData, limits: CallLimits = {}): Promise<AdministeredGroupData> {
    return this.calls.send("POST /admin/v1/groups", { ...limits, body: group });
  }

  change(groupId: string, change: GroupChangeData, options: ChangeOptions): Promise<AdministeredGroupData> {
    return this.calls.send("PATCH /admin/v1/groups/{groupId}", { ...options, path: { groupId }, body: change });
  }
}

/** Custom users. */
export class CustomUsers extends Credentials {
  constructor(calls: AdminCalls) {
    super(calls, "customUsers/{customUserId}");
  }

  list(options: PageOptions = {}): Promise<Page<AdministeredCustomUserData>> {
    return this.calls.send("GET /admin/v1/customUsers", paged(options));
  }

  get(customUserId: string, limits: CallLimits = {}): Promise<AdministeredCustomUserData> {
    return this.calls.send("GET /admin/v1/customUsers/{customUserId}", { ...limits, path: { customUserId } });
  }

  /** With `password`, or `passwordDigest`. Needs a recent proof. */
  create(user: NewCustomUserData, limits: CallLimits = {}): Promise<AdministeredCustomUserData> {
    return this.calls.send("POST /admin/v1/customUsers", { ...limits, body: user });
  }

  /** Changes the given members. Needs a recent proof. */
  change(id: string, change: CustomUserChangeData, options: ChangeOptions): Promise<AdministeredCustomUserData> {
    return this.calls.send("PATCH /admin/v1/customUsers/{customUserId}", {
      ...options,
      path: { customUserId: id },
      body: change,
    });
  }

  /** Returns the number of ended sessions. Needs a recent proof. */
  async remove(customUserId: string, limits: CallLimits = {}): Promise<number> {
    return (await this.calls.send("DELETE /admin/v1/customUsers/{customUserId}", { ...limits, path: { customUserId } }))
      .ended;
  }
}
