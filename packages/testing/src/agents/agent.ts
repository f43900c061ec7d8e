import type { ClientSession, Device, Fetch } from "@sallyport/client";
import { refuseUnknown } from "@sallyport/server/testing";
import type { Test } from "supertest";
import { logInModes } from "../modes.ts";
import type { ProviderName } from "../providers/fake-providers.ts";
import { personas, type TestProvider } from "../providers/test-provider.ts";
import type { AgentExchange } from "../service/agent-observer.ts";
import type { Access } from "../service/database-content.ts";
import { AgentRequest, type Sender } from "./agent-request.ts";
import { Authenticator } from "./authenticator.ts";
import { type AgentMode, enrolFactor, giveProof, type LogIn, openAdministration, openSession } from "./open-session.ts";

export interface AgentOptions {
  /** Alias of the database. Default: the empty alias, or that of a connected service. */
  readonly alias?: string;
  /** Default: `session`. */
  readonly mode?: AgentMode;
  /** Default: that of the user in the content of the database. */
  readonly password?: string;
  /** Default: the first app of the database. */
  readonly appNames?: readonly string[];
  /** Default: the first app key of the database. */
  readonly appKey?: string;
  readonly device?: Device;
  /**
   * The second factor of the user. `true`: the first log-in enrols the user for the first app name. A text: the secret
   * of an existing factor, in Base32. Tokens follow the clock of the service. Default: none.
   */
  readonly secondFactor?: boolean | string;
  /**
   * Whether the agent is an administrator of the routes below `/admin/v1`, with an app key of scope `admin`. Default:
   * false.
   */
  readonly administration?: boolean;
}

/** The needs of agents of a service. */
export interface AgentHost {
  readonly url: () => Promise<string>;
  /** Alias of the database of agents that name none. */
  readonly alias: string;
  readonly access: (alias: string) => Access;
  /** An app key of scope `admin`. */
  readonly administrationKey: (alias: string) => Promise<string>;
  /** The enrolled second factors of this service until its next reset, by alias and user. */
  readonly authenticators: Map<string, Promise<Authenticator>>;
  /** Milliseconds since 1970 by the clock of the service. */
  readonly now: () => number;
  readonly passwordHash: (alias: string) => "md5" | "none";
  readonly nameHolder: (credential: string, mode: string, user: string) => void;
  /** Throws an `Error` if the service has no providers. */
  readonly provider: (name: ProviderName) => TestProvider;
  /** Number of resets, each of which ends all sessions. */
  readonly resets: () => number;
  /** Throws an `Error` for a request with a header that the service must not get. Names are in lower case. */
  readonly check: (headers: readonly string[]) => void;
  /** Called after each response, before the expectations. */
  readonly answered: (exchange: AgentExchange) => void;
}

/**
 * Sends Supertest requests as one user. The first request logs in, and the first one after a reset. In secure mode,
 * requests and responses are encrypted and decrypted on the way, so that tests see what other modes see.
 */
export class Agent {
  readonly alias: string;
  /** Empty for an administrator without the option `appKey`, whose key is made at the log-in. */
  readonly appKey: string;
  readonly #host: AgentHost;
  readonly #user: string | null;
  readonly #options: AgentOptions;
  #opened: { readonly reset: number; readonly session: Promise<Opened> } | undefined;

  /** `user`: `null` for requests without a session. */
  constructor(host: AgentHost, user: string | null, options: AgentOptions) {
    checkAgentOptions(options);
    this.#host = host;
    this.#user = user;
    this.#options = options;
    this.alias = options.alias ?? host.alias;
    const isAdministrator = options.administration === true;
    this.appKey = options.appKey ?? (isAdministrator ? "" : host.access(this.alias).appKey);
  }

  get(path: string): Test {
    return this.#request("GET", path);
  }

  head(path: string): Test {
    return this.#request("HEAD", path);
  }

  post(path: string): Test {
    return this.#request("POST", path);
  }

  put(path: string): Test {
    return this.#request("PUT", path);
  }

  patch(path: string): Test {
    return this.#request("PATCH", path);
  }

  delete(path: string): Test {
    return this.#request("DELETE", path);
  }

  options(path: string): Test {
    return this.#request("OPTIONS", path);
  }

  /** The open session. Logs in if there is none; `null` for an agent without a user. */
  async session(): Promise<ClientSession | null> {
    return (await this.#open())?.session ?? null;
  }

  /** Opens another session. Rejects with a `SallyportError` if the service refuses. */
  async logIn(): Promise<void> {
    this.#opened = undefined;
    await this.session();
  }

  /** Ends the session. Later requests still use it, until `logIn` opens another one. */
  async logOut(): Promise<void> {
    await this.post(this.#logOutPath).expect(200);
  }

  /** Gives a new proof of the administrator: a token of the second factor if there is one, else the password. */
  async prove(): Promise<void> {
    const opened = await this.#open();
    if (opened === null || !this.#isAdministrator)
      throw new TypeError("Only an agent with `administration: true` gives a proof.");
    await giveProof(opened.fields, opened.session, opened.authenticator);
  }

  get #isAdministrator(): boolean {
    return this.#options.administration === true;
  }

  get #logOutPath(): string {
    return this.#isAdministrator ? "/admin/v1/logout" : "/v1/logout";
  }

  /** Ends the session, if one is open. */
  async release(): Promise<void> {
    const session = await this.#opened?.session.catch(() => null);
    // A session that has ended already is as good.
    if (session)
      await this.post(this.#logOutPath).then(
        () => {},
        () => {},
      );
    this.#opened = undefined;
  }

  #request(method: string, path: string): Test {
    const { alias } = this;
    const sender: Sender = {
      prepare: async (headers) => {
        this.#host.check(headers);
        const opened = await this.#open();
        const appKey = this.appKey === "" ? (opened?.fields.appKey ?? null) : null;
        return { url: await this.#host.url(), session: opened?.session ?? null, appKey };
      },
      answered: (sent, response, duration) => {
        const mode = this.#user === null ? null : nameOf(this.#options.mode ?? "session");
        this.#host.answered({
          method,
          path: sent.path.slice(prefix.length),
          alias,
          mode,
          user: this.#user,
          sent: sent.body,
          response,
          duration,
        });
      },
    };
    const prefix = alias === "" ? "" : `/${alias}`;
    const request = new AgentRequest(sender, method, prefix + path) as unknown as Test;
    return this.appKey === "" ? request : request.set("appkey", this.appKey);
  }

  async #open(): Promise<Opened | null> {
    const user = this.#user;
    if (user === null) return null;
    const reset = this.#host.resets();
    if (this.#opened?.reset === reset) return this.#opened.session;
    const opened = { reset, session: this.#logIn(user) };
    this.#opened = opened;
    try {
      return await opened.session;
    } catch (error) {
      // The next request logs in again.
      if (this.#opened === opened) this.#opened = undefined;
      throw error;
    }
  }

  async #logIn(user: string): Promise<Opened> {
    const { mode = "session", password, appNames, device, administration = false } = this.#options;
    const { alias } = this;
    const host = this.#host;
    const access = host.access(alias);
    const fields: LogIn = {
      url: await host.url(),
      alias,
      appKey: this.appKey === "" ? await host.administrationKey(alias) : this.appKey,
      mode,
      user: access.nameOf(user),
      password: password ?? access.passwordOf(user),
      passwordHash: host.passwordHash(alias),
      appNames: appNames ?? access.appNames,
      device,
      provider: host.provider,
      fetch: (address, request) => this.#fetch(address, request),
    };
    const authenticator = await this.#authenticator(user, fields);
    const session = await (administration ? openAdministration : openSession)(fields, authenticator);
    const { headers } = await session.seal({ headers: {} });
    for (const credential of Object.values(headers)) host.nameHolder(credential, nameOf(mode), user);
    return { session, fields, authenticator };
  }

  /** Sends a request of a log-in, and tells the response. The body stays untold: it has credentials. */
  async #fetch(...[address, request]: Parameters<Fetch>): Promise<Response> {
    const { alias } = this;
    const began = performance.now();
    const response = await fetch(address, request);
    const copy = response.clone();
    const url = await this.#host.url();
    const text = await copy.text();
    this.#host.answered({
      method: request?.method ?? "GET",
      path: String(address).slice(url.length + (alias === "" ? 0 : alias.length + 1)),
      alias,
      mode: null,
      user: null,
      sent: undefined,
      response: { status: copy.status, headers: Object.fromEntries(copy.headers), text },
      duration: performance.now() - began,
    });
    return response;
  }

  /** The second factor of the user; `null` without one. All agents of a user share it. */
  #authenticator(user: string, fields: LogIn): Promise<Authenticator> | null {
    const { secondFactor = this.#host.access(this.alias).secondFactorOf(user) ?? false } = this.#options;
    if (secondFactor === false) return null;
    const { authenticators, now } = this.#host;
    const key = JSON.stringify([this.alias, user, secondFactor]);
    const shared = authenticators.get(key);
    if (shared !== undefined) return shared;
    const made =
      secondFactor === true ? enrolFactor(fields, now) : Promise.resolve(new Authenticator(secondFactor, now, null));
    authenticators.set(key, made);
    made.catch(() => authenticators.delete(key));
    return made;
  }
}

/** An open session with the fields of its log-in. */
interface Opened {
  readonly session: ClientSession;
  readonly fields: LogIn;
  readonly authenticator: Authenticator | null;
}

const optionNames: readonly (keyof AgentOptions)[] = [
  "alias",
  "mode",
  "password",
  "appNames",
  "appKey",
  "device",
  "secondFactor",
  "administration",
];

/** Throws a `TypeError` for an unknown option or mode. */
function checkAgentOptions(options: AgentOptions): void {
  refuseUnknown("option of an agent", Object.keys(options), optionNames);
  const { mode = "session", administration = false, secondFactor = false } = options;
  if (administration && mode !== "session") throw new TypeError("An administrator logs in with the mode `session`.");
  if (administration && secondFactor === true)
    throw new TypeError("Pass the secret of an administrator's second factor: `secondFactor: secret`.");
  if (typeof mode === "string") refuseUnknown("log-in mode", [mode], [...logInModes, "custom"]);
  else refuseUnknown("persona", [mode.persona], personas);
}

function nameOf(mode: AgentMode): string {
  return typeof mode === "string" ? mode : mode.provider;
}
