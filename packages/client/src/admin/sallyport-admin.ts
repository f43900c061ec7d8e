import type { AdministrationCalls, ObjectData, OwnRightsData } from "@sallyport/contract";
import { sentPassword } from "../crypto/sent-password.ts";
import { SallyportError } from "../errors.ts";
import type { ClientOptions, LogInFields } from "../options.ts";
import { type CallLimits, checkTimeout } from "../transport/deadline.ts";
import { ServiceAddress } from "../transport/service-address.ts";
import type { CallArguments } from "../transport/calls.ts";
import { Transport } from "../transport/transport.ts";
import { type AdminCallOptions, AdminCalls } from "./admin-calls.ts";
import { AppKeys, Apps, Console, Sessions } from "./applications.ts";
import {
  Audit,
  Classes,
  Examination,
  Keys,
  Limits,
  Links,
  Macros,
  Mail,
  Maintenance,
  Providers,
  Refusals,
} from "./database.ts";
import { CustomUsers, Factors, Groups, Users } from "./accounts.ts";
import { AppRules, Bans, Devices } from "./rules.ts";
import { Synchronization } from "./synchronization.ts";

const usualTimeout = 30_000;

/** Options of the log-in of an administrator. */
export type AdminLogInOptions = Pick<LogInFields, "user" | "password" | "passwordHash" | "twoFactorToken">;

/** A new proof of the administrator: the own password, or a token of the second factor. */
export type AdminProof = Pick<LogInFields, "password" | "passwordHash"> | { readonly twoFactorToken: string };

/** The logged-in administrator and the database. */
export interface AdminLogInResult {
  readonly user: ObjectData;
  readonly databaseName: string;
}

/**
 * A client of the administration routes of one database, with an app key of scope `admin`. Each member is a group of
 * calls. Calls reject with a `SallyportError` if the server refuses, a `TransportError` without a valid response, and a
 * `NotLoggedInError` before the log-in. The code 802 asks for a new proof: call `prove` and repeat the call.
 */
export class SallyportAdmin {
  readonly users: Users;
  readonly groups: Groups;
  readonly customUsers: CustomUsers;
  readonly factors: Factors;
  readonly appKeys: AppKeys;
  readonly apps: Apps;
  readonly console: Console;
  readonly sessions: Sessions;
  readonly devices: Devices;
  readonly bans: Bans;
  readonly appRules: AppRules;
  readonly audit: Audit;
  readonly refusals: Refusals;
  readonly providers: Providers;
  readonly links: Links;
  readonly classes: Classes;
  readonly keys: Keys;
  readonly examination: Examination;
  readonly mail: Mail;
  readonly macros: Macros;
  readonly maintenance: Maintenance;
  readonly limits: Limits;
  readonly sync: Synchronization;
  readonly #calls: AdminCalls;

  /** Throws a `TypeError` or `RangeError` for invalid options. The client keeps no password and never logs in by itself. */
  constructor({ baseUrl, alias = "", appKey, fetch: send, timeout = usualTimeout }: Omit<ClientOptions, "renew">) {
    checkTimeout(timeout);
    // In browsers `fetch` throws if `this` is not the window.
    const sending = send ?? ((...request: Parameters<typeof fetch>) => fetch(...request));
    const calls = new AdminCalls(new Transport(new ServiceAddress(baseUrl, alias), appKey, sending), timeout);
    this.#calls = calls;
    this.users = new Users(calls);
    this.groups = new Groups(calls);
    this.customUsers = new CustomUsers(calls);
    this.factors = new Factors(calls);
    this.appKeys = new AppKeys(calls);
    this.apps = new Apps(calls);
    this.console = new Console(calls);
    this.sessions = new Sessions(calls);
    this.devices = new Devices(calls);
    this.bans = new Bans(calls);
    this.appRules = new AppRules(calls);
    this.audit = new Audit(calls);
    this.refusals = new Refusals(calls);
    this.providers = new Providers(calls);
    this.links = new Links(calls);
    this.classes = new Classes(calls);
    this.keys = new Keys(calls);
    this.examination = new Examination(calls);
    this.mail = new Mail(calls);
    this.macros = new Macros(calls);
    this.maintenance = new Maintenance(calls);
    this.limits = new Limits(calls);
    this.sync = new Synchronization(calls);
  }

  /** Whether there is a session. It may have ended on the server. */
  get isLoggedIn(): boolean {
    return this.#calls.isLoggedIn;
  }

  /** Id of the session. Keep it like a password: with the app key, it acts as the administrator. */
  get sessionId(): string | undefined {
    return this.#calls.sessionId;
  }

  /** Continues a session whose id was kept. Sends nothing. */
  resume(sessionId: string): void {
    this.#calls.use(sessionId);
  }

  /** Opens a session. 302 for a wrong password, and for a user who is not an administrator. */
  async logIn(options: AdminLogInOptions, limits: CallLimits = {}): Promise<AdminLogInResult> {
    const { user, twoFactorToken } = options;
    const body = { user, pass: sentPassword(options.password, options.passwordHash), "2faToken": twoFactorToken };
    const { sessionId, ...result } = await this.call("POST /admin/v1/login", { ...limits, body, anonymous: true });
    this.#calls.use(sessionId);
    return { user: result.user, databaseName: result.databaseName };
  }

  /** Gives a new proof, which is recent for 10 minutes. */
  async prove(proof: AdminProof, limits: CallLimits = {}): Promise<void> {
    const body =
      "password" in proof
        ? { pass: sentPassword(proof.password, proof.passwordHash) }
        : { "2faToken": proof.twoFactorToken };
    await this.call("POST /admin/v1/proof", { ...limits, body });
  }

  /** The present rights of the administrator. The server judges each call by them: 404 for one that needs others. */
  async rights(limits: CallLimits = {}): Promise<OwnRightsData["rights"]> {
    return (await this.call("GET /admin/v1/rights", limits)).rights;
  }

  /** Ends the session. Resolves at once without one. */
  async logOut(limits: CallLimits = {}): Promise<void> {
    if (!this.#calls.isLoggedIn) return;
    try {
      await this.call("POST /admin/v1/logout", limits);
    } catch (error) {
      if (!(error instanceof SallyportError) || error.code !== 201) throw error;
    }
    this.#calls.use(undefined);
  }

  /**
   * Calls an operation by its method and path, such as `GET /admin/v1/users/{userId}`. The types of its path parameters, query,
   * body and data are those of the API.
   */
  call<Key extends keyof AdministrationCalls>(
    operation: Key,
    ...options: CallArguments<AdministrationCalls[Key]["input"], AdminCallOptions>
  ): Promise<AdministrationCalls[Key]["data"]> {
    return this.#calls.send(operation, ...options);
  }
}
