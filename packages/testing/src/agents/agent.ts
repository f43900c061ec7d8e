import type { ClientSession, Device } from "@sallyport/client";
import { refuseUnknown } from "@sallyport/server/testing";
import type { Test } from "supertest";
import type { ProviderName } from "../providers/fake-providers.ts";
import { personas, type TestProvider } from "../providers/test-provider.ts";
import type { AgentExchange } from "../service/agent-observer.ts";
import type { Access } from "../service/database-content.ts";
import { AgentRequest, type Sender } from "./agent-request.ts";
import { type AgentMode, logInModes, openSession } from "./open-session.ts";

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
}

/** The needs of agents of a service. */
export interface AgentHost {
  readonly url: () => Promise<string>;
  /** Alias of the database of agents that name none. */
  readonly alias: string;
  readonly access: (alias: string) => Access;
  readonly passwordHash: (alias: string) => "md5" | "none";
  readonly nameMode: (credential: string, mode: string) => void;
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
  readonly appKey: string;
  readonly #host: AgentHost;
  readonly #user: string | null;
  readonly #options: AgentOptions;
  #opened: { readonly reset: number; readonly session: Promise<ClientSession> } | undefined;

  /** `user`: `null` for requests without a session. */
  constructor(host: AgentHost, user: string | null, options: AgentOptions) {
    checkAgentOptions(options);
    this.#host = host;
    this.#user = user;
    this.#options = options;
    this.alias = options.alias ?? host.alias;
    this.appKey = options.appKey ?? host.access(this.alias).appKey;
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

  /** Opens another session. Rejects with a `SallyportError` if the service refuses. */
  async logIn(): Promise<void> {
    this.#opened = undefined;
    await this.session();
  }

  /** Ends the session. Later requests still use it, until `logIn` opens another one. */
  async logOut(): Promise<void> {
    await this.post("/v1/logout").expect(200);
  }

  /** Ends the session, if one is open. */
  async release(): Promise<void> {
    const session = await this.#opened?.session.catch(() => null);
    // A session that has ended already is as good.
    if (session)
      await this.post("/v1/logout").then(
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
        return { url: await this.#host.url(), session: await this.session() };
      },
      answered: (sent, response, duration) => {
        const mode = this.#user === null ? null : nameOf(this.#options.mode ?? "session");
        this.#host.answered({
          method,
          path: sent.path.slice(prefix.length),
          alias,
          mode,
          sent: sent.body,
          response,
          duration,
        });
      },
    };
    const prefix = alias === "" ? "" : `/${alias}`;
    return new AgentRequest(sender, method, prefix + path).set("appkey", this.appKey) as unknown as Test;
  }

  async #logIn(user: string): Promise<ClientSession> {
    const { mode = "session", password, appNames, device } = this.#options;
    const { alias, appKey } = this;
    const access = this.#host.access(alias);
    const session = await openSession({
      url: await this.#host.url(),
      alias,
      appKey,
      mode,
      user: access.nameOf(user),
      password: password ?? access.passwordOf(user),
      passwordHash: this.#host.passwordHash(alias),
      appNames: appNames ?? access.appNames,
      device,
      provider: this.#host.provider,
    });
    const { headers } = await session.seal({ headers: {} });
    for (const credential of Object.values(headers)) this.#host.nameMode(credential, nameOf(mode));
    return session;
  }
}

const optionNames: readonly (keyof AgentOptions)[] = ["alias", "mode", "password", "appNames", "appKey", "device"];

/** Throws a `TypeError` for an unknown option or mode. */
function checkAgentOptions(options: AgentOptions): void {
  refuseUnknown("option of an agent", Object.keys(options), optionNames);
  const { mode = "session" } = options;
  if (typeof mode === "string") refuseUnknown("log-in mode", [mode], [...logInModes, "custom"]);
  else refuseUnknown("persona", [mode.persona], personas);
}

function nameOf(mode: AgentMode): string {
  return typeof mode === "string" ? mode : mode.provider;
}
