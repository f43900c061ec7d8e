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
import { type AdminCalls, type ChangeOptions, type Page, type PageOptions, pathOf } from "./admin-calls.ts";

export interface FactorOptions extends CallLimits {
  /** App name of the factor. Default: all. */
  readonly app?: string | undefined;
}

/** Passwords and second factors of an account, by its id. */
class Credentials {
  constructor(
    protected readonly calls: AdminCalls,
    protected readonly folder: string,
  ) {}

  /**
   * Sets the password as a person types it, or imports the MD5 of one as `{ passwordDigest }`. Ends the sessions of the
   * account. Needs a recent proof.
   */
  async setPassword(id: string, given: string | SetPasswordData, limits: CallLimits = {}): Promise<void> {
    const body = typeof given === "string" ? { password: given } : given;
    await this.calls.send({ ...limits, method: "PUT", path: pathOf(this.folder, id, "password"), body });
  }

  async factors(id: string, limits: CallLimits = {}): Promise<readonly AdministeredFactorData[]> {
    const path = pathOf(this.folder, id, "factors");
    return (await this.calls.send<Omit<Page<AdministeredFactorData>, "next">>({ ...limits, path })).items;
  }

  /** Removes lost second factors. 304 if there is none. Needs a recent proof. */
  async removeFactors(id: string, { app, ...limits }: FactorOptions = {}): Promise<void> {
    await this.calls.send({ ...limits, method: "DELETE", path: pathOf(this.folder, id, "factors"), query: { app } });
  }
}

/** Database users. */
export class Users extends Credentials {
  constructor(calls: AdminCalls) {
    super(calls, "users");
  }

  list(options: PageOptions = {}): Promise<Page<AdministeredUserData>> {
    return this.calls.page("/users", options);
  }

  get(userId: string, limits: CallLimits = {}): Promise<AdministeredUserData> {
    return this.calls.send({ ...limits, path: pathOf("users", userId) });
  }

  /** With `password`, or `passwordDigest`. 320 for a refused password, 307 for a taken name. Needs a recent proof. */
  create(user: NewUserData, limits: CallLimits = {}): Promise<AdministeredUserData> {
    return this.calls.send({ ...limits, method: "POST", path: "/users", body: user });
  }

  /** Changes the given members. Needs a recent proof. */
  change(userId: string, change: UserChangeData, options: ChangeOptions): Promise<AdministeredUserData> {
    return this.calls.send({ ...options, method: "PATCH", path: pathOf("users", userId), body: change });
  }
}

/** User groups. */
export class Groups {
  constructor(private readonly calls: AdminCalls) {}

  list(options: PageOptions = {}): Promise<Page<AdministeredGroupData>> {
    return this.calls.page("/groups", options);
  }

  get(groupId: string, limits: CallLimits = {}): Promise<AdministeredGroupData> {
    return this.calls.send({ ...limits, path: pathOf("groups", groupId) });
  }

  create(group: NewGroupData, limits: CallLimits = {}): Promise<AdministeredGroupData> {
    return this.calls.send({ ...limits, method: "POST", path: "/groups", body: group });
  }

  change(groupId: string, change: GroupChangeData, options: ChangeOptions): Promise<AdministeredGroupData> {
    return this.calls.send({ ...options, method: "PATCH", path: pathOf("groups", groupId), body: change });
  }
}

/** Custom users. */
export class CustomUsers extends Credentials {
  constructor(calls: AdminCalls) {
    super(calls, "customUsers");
  }

  list(options: PageOptions = {}): Promise<Page<AdministeredCustomUserData>> {
    return this.calls.page("/customUsers", options);
  }

  get(customUserId: string, limits: CallLimits = {}): Promise<AdministeredCustomUserData> {
    return this.calls.send({ ...limits, path: pathOf("customUsers", customUserId) });
  }

  /** With `password`, or `passwordDigest`. Needs a recent proof. */
  create(user: NewCustomUserData, limits: CallLimits = {}): Promise<AdministeredCustomUserData> {
    return this.calls.send({ ...limits, method: "POST", path: "/customUsers", body: user });
  }

  /** Changes the given members. Needs a recent proof. */
  change(id: string, change: CustomUserChangeData, options: ChangeOptions): Promise<AdministeredCustomUserData> {
    return this.calls.send({ ...options, method: "PATCH", path: pathOf("customUsers", id), body: change });
  }

  /** Returns the number of ended sessions. Needs a recent proof. */
  async remove(customUserId: string, limits: CallLimits = {}): Promise<number> {
    const path = pathOf("customUsers", customUserId);
    return (await this.calls.send<{ readonly ended: number }>({ ...limits, method: "DELETE", path })).ended;
  }
}
