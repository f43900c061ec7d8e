import type {
  AdministeredAppData,
  AdministeredAppKeyData,
  AdministeredSessionData,
  AppChangeData,
  CreatedAppKeyData,
  NewAppData,
  NewAppKeyData,
} from "@sallyport/contract";
import type { CallLimits } from "../transport/deadline.ts";
import { type AdminCalls, type ChangeOptions, type Page, type PageOptions, pathOf } from "./admin-calls.ts";

/** App keys. */
export class AppKeys {
  constructor(private readonly calls: AdminCalls) {}

  list(options: PageOptions = {}): Promise<Page<AdministeredAppKeyData>> {
    return this.calls.page("/appKeys", options);
  }

  get(appKeyId: string, limits: CallLimits = {}): Promise<AdministeredAppKeyData> {
    return this.calls.send({ ...limits, path: pathOf("appKeys", appKeyId) });
  }

  /** The server generates the key. Only this answer contains it. Needs a recent proof. */
  create(appKey: NewAppKeyData, limits: CallLimits = {}): Promise<CreatedAppKeyData> {
    return this.calls.send({ ...limits, method: "POST", path: "/appKeys", body: appKey });
  }

  /** Enables or disables an app key. Needs a recent proof. */
  setEnabled(appKeyId: string, enabled: boolean, options: ChangeOptions): Promise<AdministeredAppKeyData> {
    return this.calls.send({ ...options, method: "PATCH", path: pathOf("appKeys", appKeyId), body: { enabled } });
  }
}

/** App names, with their seats and second-factor rules. */
export class Apps {
  constructor(private readonly calls: AdminCalls) {}

  list(options: PageOptions = {}): Promise<Page<AdministeredAppData>> {
    return this.calls.page("/apps", options);
  }

  get(name: string, limits: CallLimits = {}): Promise<AdministeredAppData> {
    return this.calls.send({ ...limits, path: pathOf("apps", name) });
  }

  create(app: NewAppData, limits: CallLimits = {}): Promise<AdministeredAppData> {
    return this.calls.send({ ...limits, method: "POST", path: "/apps", body: app });
  }

  /** Changes the given members. Needs a recent proof. */
  change(name: string, change: AppChangeData, options: ChangeOptions): Promise<AdministeredAppData> {
    return this.calls.send({ ...options, method: "PATCH", path: pathOf("apps", name), body: change });
  }
}

export interface OfUserOptions extends PageOptions {
  /** Id of a user. Default: all users. */
  readonly user?: string | undefined;
}

/** Live sessions. */
export class Sessions {
  constructor(private readonly calls: AdminCalls) {}

  list({ user, ...options }: OfUserOptions = {}): Promise<Page<AdministeredSessionData>> {
    return this.calls.page("/sessions", options, { user });
  }

  /** Ends one session by its public id. 304 if it has ended. */
  async end(id: string, limits: CallLimits = {}): Promise<void> {
    await this.calls.send({ ...limits, method: "DELETE", path: pathOf("sessions", id) });
  }

  /** Ends all sessions of a user. Returns their number. */
  async endOfUser(userId: string, limits: CallLimits = {}): Promise<number> {
    const request = { ...limits, method: "DELETE", path: "/sessions", query: { user: userId } } as const;
    return (await this.calls.send<{ readonly ended: number }>(request)).ended;
  }
}
