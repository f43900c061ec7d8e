import type { ServiceData } from "@sallyport/contract";
import type { ClientOptions } from "./client-options.ts";
import { SallyportError } from "./errors/sallyport-error.ts";
import type { LogInOptions } from "./logins/log-in-options.ts";
import type { LogInResult } from "./logins/log-in-result.ts";
import { openSession } from "./logins/open-session.ts";
import type { Attributes, BusinessObject, ObjectPage } from "./objects/business-object.ts";
import type { ListOptions, ObjectOptions, PageOptions } from "./objects/list-options.ts";
import { ObjectCalls } from "./objects/object-calls.ts";
import { ClientRequests } from "./requests/client-requests.ts";
import type { Answer, BytesAnswer, RequestOptions } from "./requests/request-options.ts";
import type { ClientSession } from "./sessions/client-session.ts";
import { SessionKeeper } from "./sessions/session-keeper.ts";
import { type CallLimits, checkTimeout, withinLimits } from "./transport/deadline.ts";
import { ServiceAddress } from "./transport/service-address.ts";
import { Transport } from "./transport/transport.ts";

const usualTimeout = 30_000;

/**
 * A client of one database. Calls reject with a `SallyportError` when the server refuses, a `TransportError` when there is no
 * answer of it, a `ChannelError` when encryption does not hold, and a `NotLoggedInError` when they need a log-in and there
 * is none. Calls can be made in parallel.
 */
export class SallyportClient {
  readonly #keeper: SessionKeeper;
  readonly #requests: ClientRequests;
  readonly #objects: ObjectCalls;

  /** Throws a `TypeError` or `RangeError` for options that cannot be meant. */
  constructor({ baseUrl, alias = "", appKey, fetch: send, timeout = usualTimeout, renew = true }: ClientOptions) {
    checkTimeout(timeout);
    // Browsers mind what their `fetch` is called on.
    const transport = new Transport(new ServiceAddress(baseUrl, alias), appKey, send ?? ((...request) => fetch(...request)));
    const open = (options: LogInOptions, signal?: AbortSignal) =>
      withinLimits({ timeout, signal }, (limit) => openSession(transport, options, limit));
    this.#keeper = new SessionKeeper({ open, close: (session) => this.#close(session) }, { renews: renew });
    this.#requests = new ClientRequests(transport, this.#keeper, timeout);
    this.#objects = new ObjectCalls(this.#requests);
  }

  /** The session that calls are made with; `undefined` before the log-in and after the log-out. */
  get session(): ClientSession | undefined {
    return this.#keeper.session;
  }

  /** Logs in. A session that the client had before is ended once the new one is open. */
  logIn(options: LogInOptions, { signal }: Pick<CallLimits, "signal"> = {}): Promise<LogInResult> {
    return this.#keeper.logIn(options, signal);
  }

  /**
   * Forgets the credentials and ends the session. If the server cannot be told, the call rejects, and the session stays to
   * be ended by another attempt. Without a session, or with one that is over already, there is nothing to do.
   */
  logOut(): Promise<void> {
    return this.#keeper.logOut();
  }

  /** Whether the session lives; asking keeps it alive. Never logs in anew. */
  async checkSession(limits: CallLimits = {}): Promise<boolean> {
    const { session } = this.#keeper;
    return session !== undefined && this.#isAccepted(session, this.#requests.with(session, { method: "GET", path: "/_CheckSession" }, limits));
  }

  /** Name and version of the service; needs no log-in, and tells whether the database can be used. */
  async checkService(limits: CallLimits = {}): Promise<ServiceData> {
    const { data } = await this.#requests.json<ServiceData>({ ...limits, path: "/_CheckService", anonymous: true });
    return data;
  }

  /** Reads an object by its id or UUID. */
  getObject<Known extends Attributes>(id: string, options: ObjectOptions = {}): Promise<BusinessObject<Known>> {
    return this.#objects.get<Known>(id, options);
  }

  /** One page of the objects of a class. */
  listObjects<Known extends Attributes>(className: string, options: PageOptions = {}): Promise<ObjectPage<Known>> {
    return this.#objects.page<Known>(className, options);
  }

  /** All pages of the objects of a class, each asked for when the one before was taken. Limits of time are those of each page. */
  pages<Known extends Attributes>(className: string, options: ListOptions = {}): AsyncGenerator<ObjectPage<Known>, void, undefined> {
    return this.#objects.pages<Known>(className, options);
  }

  /** All objects of a class, one by one, read page by page. */
  async *objects<Known extends Attributes>(className: string, options: ListOptions = {}): AsyncGenerator<BusinessObject<Known>, void, undefined> {
    for await (const page of this.#objects.pages<Known>(className, options)) yield* page["~Elements"];
  }

  /** Any request whose answer is an envelope. */
  request<Data = unknown>(options: RequestOptions): Promise<Answer<Data>> {
    return this.#requests.json<Data>(options);
  }

  /** Any request whose answer is a file. */
  requestBytes(options: RequestOptions): Promise<BytesAnswer> {
    return this.#requests.bytes(options);
  }

  async #close(session: ClientSession): Promise<void> {
    await this.#isAccepted(session, this.#requests.with(session, { method: "POST", path: "/v1/logout" }));
  }

  /** Whether a call succeeds; `false` if it tells that the session is over. */
  async #isAccepted(session: ClientSession, call: Promise<void>): Promise<boolean> {
    try {
      await call;
      return true;
    } catch (error) {
      if (error instanceof SallyportError && session.isOverWith(error.code)) return false;
      throw error;
    }
  }
}
