import { NotLoggedInError, SallyportError } from "../errors.ts";
import type { LogInOptions } from "../options.ts";
import type { LogInResult, OpenedSession } from "../log-in.ts";
import type { ClientSession } from "./client-session.ts";

/** What the keeper has done for it. */
export interface SessionOpener {
  /** Logs in. */
  open(options: LogInOptions, signal?: AbortSignal): Promise<OpenedSession>;
  /** Logs out; resolves, too, if the session was over already. */
  close(session: ClientSession): Promise<unknown>;
}

/** A refusal that trying again with the same credentials cannot help: it could only lock the user out. */
function isFinal(error: unknown): boolean {
  return error instanceof SallyportError && error.httpStatus < 500 && error.httpStatus !== 429;
}

/** Whether what a log-in shows is good once only. */
function isForOnce(options: LogInOptions): boolean {
  return options.twoFactorToken !== undefined || ("endpoint" in options && options.endpoint?.once === true);
}

/** Keeps the session of a client, and opens another when it is over. Credentials are in memory only, for that one purpose. */
export class SessionKeeper {
  readonly #opener: SessionOpener;
  readonly #renews: boolean;
  #session: ClientSession | undefined;
  #credentials: LogInOptions | undefined;
  #renewal: Promise<ClientSession> | undefined;
  /** Changes with every log-in and log-out of the caller: a log-in that was begun before is overtaken. */
  #queue = {};

  constructor(endpoint: SessionOpener, { renews }: { readonly renews: boolean }) {
    this.#opener = endpoint;
    this.#renews = renews;
  }

  get session(): ClientSession | undefined {
    return this.#session;
  }

  /** Logs in; a session from before is ended once the new one is open. */
  async logIn(options: LogInOptions, signal?: AbortSignal): Promise<LogInResult> {
    const turn = {};
    this.#queue = turn;
    const { session, result } = await this.#opener.open(options, signal);
    await this.#unlessOvertaken(session, turn === this.#queue);
    const earlier = this.#session;
    this.#session = session;
    this.#credentials = this.#renews && !isForOnce(options) ? { ...options } : undefined;
    this.#renewal = undefined;
    if (earlier !== undefined) await this.#closeQuietly(earlier);
    return result;
  }

  /** Forgets the credentials at once, and ends the session. If that fails the session is kept, so that it can be tried again. */
  async logOut(): Promise<void> {
    this.#queue = {};
    this.#credentials = undefined;
    this.#renewal = undefined;
    const session = this.#session;
    if (session === undefined) return;
    await this.#opener.close(session);
    if (this.#session === session) this.#session = undefined;
  }

  /** Logs in anew with another password from now on, or no more. */
  replacePassword(password: string | undefined): void {
    const credentials = this.#credentials;
    this.#credentials = credentials && password !== undefined ? { ...credentials, password } : undefined;
  }

  /** The session to use instead of one that a refusal says is over. The refusal itself is thrown if there cannot be another. */
  async renewed(session: ClientSession, refusal: SallyportError): Promise<ClientSession> {
    // Another call has noticed before.
    if (this.#session !== session && this.#session !== undefined) return this.#session;
    const credentials = this.#credentials;
    if (credentials === undefined) throw refusal;
    this.#renewal ??= this.#renew(credentials);
    return this.#renewal;
  }

  #renew(credentials: LogInOptions): Promise<ClientSession> {
    const renewal = this.#reopen(credentials).finally(() => {
      if (this.#renewal === renewal) this.#renewal = undefined;
    });
    return renewal;
  }

  async #reopen(credentials: LogInOptions): Promise<ClientSession> {
    try {
      const { session } = await this.#opener.open(credentials);
      await this.#unlessOvertaken(session, credentials === this.#credentials);
      this.#session = session;
      return session;
    } catch (error) {
      if (credentials === this.#credentials && isFinal(error)) this.#credentials = undefined;
      throw error;
    }
  }

  /** A session that was opened for a caller who has decided otherwise meanwhile must not be left open. */
  async #unlessOvertaken(session: ClientSession, isWanted: boolean): Promise<void> {
    if (isWanted) return;
    await this.#closeQuietly(session);
    throw new NotLoggedInError("The log-in was overtaken by another log-in or a log-out.");
  }

  /** What cannot be ended now ends by itself, when it has been idle. */
  async #closeQuietly(session: ClientSession): Promise<void> {
    await this.#opener.close(session).catch(() => undefined);
  }
}
