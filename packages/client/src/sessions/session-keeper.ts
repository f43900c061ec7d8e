import { NotLoggedInError, SallyportError } from "../errors.ts";
import type { LogInOptions } from "../options.ts";
import type { LogInResult, OpenedSession } from "../log-in.ts";
import type { ClientSession } from "./client-session.ts";

/** Opens and closes sessions for the keeper. */
export interface SessionOpener {
  open(options: LogInOptions, signal?: AbortSignal): Promise<OpenedSession>;
  /** Logs out. Also resolves if the session has already ended. */
  close(session: ClientSession): Promise<unknown>;
}

/** A refusal that a retry cannot change. Retrying could cause a lockout. */
function isFinal(error: unknown): boolean {
  return error instanceof SallyportError && error.httpStatus < 500 && error.httpStatus !== 429;
}

/** Whether the credentials can be used only once. */
function isForOnce(options: LogInOptions): boolean {
  return options.twoFactorToken !== undefined || ("endpoint" in options && options.endpoint?.once === true);
}

/** Keeps the session of a client and renews it when it ends. Credentials stay in memory, for renewal only. */
export class SessionKeeper {
  readonly #opener: SessionOpener;
  readonly #renews: boolean;
  #session: ClientSession | undefined;
  #credentials: LogInOptions | undefined;
  #renewal: Promise<ClientSession> | undefined;
  /** Replaced at every log-in and log-out: an earlier pending log-in is then obsolete. */
  #queue = {};

  constructor(endpoint: SessionOpener, { renews }: { readonly renews: boolean }) {
    this.#opener = endpoint;
    this.#renews = renews;
  }

  get session(): ClientSession | undefined {
    return this.#session;
  }

  /** Logs in. A previous session ends once the new one is open. */
  async logIn(options: LogInOptions, signal?: AbortSignal): Promise<LogInResult> {
    const turn = {};
    this.#queue = turn;
    const { session, result } = await this.#opener.open(options, signal);
    await this.#unlessSuperseded(session, turn === this.#queue);
    const earlier = this.#session;
    this.#session = session;
    this.#credentials = this.#renews && !isForOnce(options) ? { ...options } : undefined;
    this.#renewal = undefined;
    if (earlier !== undefined) await this.#closeQuietly(earlier);
    return result;
  }

  /** Continues an open session. There are no credentials to renew it. */
  resume(session: ClientSession): void {
    this.#queue = {};
    this.#credentials = undefined;
    this.#renewal = undefined;
    this.#session = session;
  }

  /** Discards the credentials and ends the session. On failure the session stays, so that the call can be repeated. */
  async logOut(): Promise<void> {
    this.#queue = {};
    this.#credentials = undefined;
    this.#renewal = undefined;
    const session = this.#session;
    if (session === undefined) return;
    await this.#opener.close(session);
    if (this.#session === session) this.#session = undefined;
  }

  /** Sets the password for renewals, or disables them. */
  replacePassword(password: string | undefined): void {
    const credentials = this.#credentials;
    this.#credentials = credentials && password !== undefined ? { ...credentials, password } : undefined;
  }

  /** Returns a valid session instead of the ended one. Throws the refusal if renewal is impossible. */
  async renewed(session: ClientSession, refusal: SallyportError): Promise<ClientSession> {
    // Another call has already renewed it.
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
      await this.#unlessSuperseded(session, credentials === this.#credentials);
      this.#session = session;
      return session;
    } catch (error) {
      if (credentials === this.#credentials && isFinal(error)) this.#credentials = undefined;
      throw error;
    }
  }

  /** Closes a session whose log-in is obsolete. */
  async #unlessSuperseded(session: ClientSession, isNeeded: boolean): Promise<void> {
    if (isNeeded) return;
    await this.#closeQuietly(session);
    throw new NotLoggedInError("Another log-in or a log-out has replaced this log-in.");
  }

  /** On failure, the session ends by its idle timeout. */
  async #closeQuietly(session: ClientSession): Promise<void> {
    await this.#opener.close(session).catch(() => undefined);
  }
}
