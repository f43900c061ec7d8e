import type {
  AdministeredAppData,
  AdministeredAppKeyData,
  AdministeredSessionData,
  AppChangeData,
  ConsoleKeyData,
  ConsoleSessionData,
  CreatedAppKeyData,
  NewAppData,
  NewAppKeyData,
  SetUpRequestData,
} from "@sallyport/contract";
import type { CallLimits } from "../transport/deadline.ts";
import { type AdminCalls, type ChangeOptions, type Page, type PageOptions, paged } from "./admin-calls.ts";

/** App keys. */
export class AppKeys {
  constructor(private readonly calls: AdminCalls) {}

  list(options: PageOptions = {}): Promise<Page<AdministeredAppKeyData>> {
    return this.calls.send("GET /admin/v1/appKeys", paged(options));
  }

  get(appKeyId: string, limits: CallLimits = {}): Promise<AdministeredAppKeyData> {
    return this.calls.send("GET /admin/v1/appKeys/{appKeyId}", { ...limits, path: { appKeyId } });
  }

  /** The server generates the key. Only this answer contains it. Needs a recent proof. */
  create(appKey: NewAppKeyData, limits: CallLimits = {}): Promise<CreatedAppKeyData> {
    return this.calls.send("POST /admin/v1/appKeys", { ...limits, body: appKey });
  }

  /** Enables or disables an app key. Needs a recent proof. */
  setEnabled(appKeyId: string, enabled: boolean, options: ChangeOptions): Promise<AdministeredAppKeyData> {
    return this.calls.send("PATCH /admin/v1/appKeys/{appKeyId}", { ...options, path: { appKeyId }, body: { enabled } });
  }
}

/** The console in a browser. */
export class Console {
  constructor(private readonly calls: AdminCalls) {}

  /** Trades a ticket for an app key of scope `admin`. Needs neither app key nor session. Only this answer contains the key. */
  tradeTicket(ticket: string, limits: CallLimits = {}): Promise<ConsoleKeyData> {
    return this.calls.send("POST /admin/v1/console/ticket", { ...limits, body: { ticket }, anonymous: true });
  }

  /** Whether the database has no users. Needs neither app key nor session. */
  async needsSetUp(limits: CallLimits = {}): Promise<boolean> {
    return (await this.calls.send("GET /admin/v1/console/setUp", { ...limits, anonymous: true })).needed;
  }

  /**
   * Creates the first administrator of the database. Needs neither app key nor session. Only this answer contains the key, of
   * scope `admin`, for the log-in.
   */
  setUp(administrator: SetUpRequestData, limits: CallLimits = {}): Promise<ConsoleKeyData> {
    return this.calls.send("POST /admin/v1/console/setUp", { ...limits, body: administrator, anonymous: true });
  }

  /**
   * Opens a session of the administrator for the routes of applications, such as with `SallyportClient.resume`. It needs the
   * same app key, ends with the session of this client, and replaces the former one. Needs a recent proof.
   */
  openSession(limits: CallLimits = {}): Promise<ConsoleSessionData> {
    return this.calls.send("POST /admin/v1/console/session", limits);
  }
}

/** App names, with their seats and second-factor rules. */
export class Apps {
  constructor(private readonly calls: AdminCalls) {}

  list(options: PageOptions = {}): Promise<Page<AdministeredAppData>> {
    return this.calls.send("GET /admin/v1/apps", paged(options));
  }

  get(name: string, limits: CallLimits = {}): Promise<AdministeredAppData> {
    return this.calls.send("GET /admin/v1/apps/{app}", { ...limits, path: { app: name } });
  }

  create(app: NewAppData, limits: CallLimits = {}): Promise<AdministeredAppData> {
    return this.calls.send("POST /admin/v1/apps", { ...limits, body: app });
  }

  /** Changes the given members. Needs a recent proof. */
  change(name: string, change: AppChangeData, options: ChangeOptions): Promise<AdministeredAppData> {
    return this.calls.send("PATCH /admin/v1/apps/{app}", { ...options, path: { app: name }, body: change });
  }
}

export interface OfUserOptions extends PageOptions {
  /** Id of a user. Default: all users. */
  readonly user?: string | undefined;
}

export interface SessionOptions extends OfUserOptions {
  /** Default: all devices. */
  readonly device?: string | undefined;
  /** An app name. Default: all. */
  readonly app?: string | undefined;
}

/** Live sessions. */
export class Sessions {
  constructor(private readonly calls: AdminCalls) {}

  list({ user, device, app, ...options }: SessionOptions = {}): Promise<Page<AdministeredSessionData>> {
    return this.calls.send("GET /admin/v1/sessions", paged(options, { user, device, app }));
  }

  /** Ends one session by its public id. 304 if it has ended. */
  async end(id: string, limits: CallLimits = {}): Promise<void> {
    await this.calls.send("DELETE /admin/v1/sessions/{id}", { ...limits, path: { id } });
  }

  /** Ends all sessions of a user. Returns their number. */
  async endOfUser(userId: string, limits: CallLimits = {}): Promise<number> {
    return (await this.calls.send("DELETE /admin/v1/sessions", { ...limits, query: { user: userId } })).ended;
  }

  /** Ends all sessions of a device, of all users or of one. Returns their number. */
  async endOfDevice(
    device: string,
    { user, ...limits }: { readonly user?: string } & CallLimits = {},
  ): Promise<number> {
    return (await this.calls.send("DELETE /admin/v1/sessions", { ...limits, query: { device, user } })).ended;
  }
}
