import { headerNames } from "@sallyport/contract/header-names";
import type { ApiDescription, DatabaseCalls, ReadersData, ServiceData } from "@sallyport/contract";
import type { ClientOptions, LogInOptions } from "./options.ts";
import { type LogInResult, openSession } from "./log-in.ts";
import type { ClassDefinition, ClassStructure, ModelStructure } from "./model.ts";
import { type MultiItem, type MultiOptions, type MultiResult, sendItems, sendMany } from "./multi.ts";
import type {
  Attributes,
  BusinessObject,
  CountOptions,
  CountWithinOptions,
  CreateOptions,
  DeleteOptions,
  ListOptions,
  Lock,
  LockOptions,
  MatchQuery,
  ObjectCount,
  ObjectOptions,
  ObjectPage,
  PageOptions,
  PurgeOptions,
  ReadersOptions,
  TrashOptions,
  TrashPage,
  UncountedPage,
  UncountedPageOptions,
  UpdateOptions,
} from "./objects.ts";
import {
  type Answer,
  type BytesAnswer,
  type CallOptions,
  ClientRequests,
  type OnceOptions,
  type OperationOptions,
  type RequestOptions,
  type StreamAnswer,
} from "./requests.ts";
import { type ClientSession, HeaderSession } from "./sessions/client-session.ts";
import { SessionKeeper } from "./sessions/session-keeper.ts";
import type { CallArguments } from "./transport/calls.ts";
import { type CallLimits, checkTimeout, withinLimits } from "./transport/deadline.ts";
import { checkRetries } from "./transport/retries.ts";
import { ServiceAddress, withQuery } from "./transport/service-address.ts";
import { Transport } from "./transport/transport.ts";
import type { ConditionOptions } from "./version.ts";

const usualTimeout = 30_000;

/** Characters of a path with its query string. Proxies usually accept 8 KiB. A longer list is sent as a body. */
const maxAddress = 6_144;

export interface ExecuteOptions extends CallOptions, OnceOptions {
  /** Skips the execution checker of the macro. 402 without the right to do so. */
  readonly skipChecker?: boolean | undefined;
}

/**
 * A client of one database. Calls can run in parallel. They reject with a `SallyportError` if the server refuses, a
 * `TransportError` without a valid response, a `ChannelError` if the encryption fails, and a `NotLoggedInError` if a
 * required log-in is missing.
 */
export class SallyportClient {
  /** Address of the server, with its base path. */
  readonly baseUrl: string;
  /** Whether the connection is protected from tampering: TLS or loopback. */
  readonly isProtected: boolean;
  readonly #keeper: SessionKeeper;
  readonly #requests: ClientRequests;

  /** Throws a `TypeError` or `RangeError` for invalid options. */
  constructor(options: ClientOptions) {
    const { baseUrl, alias = "", appKey, fetch: send, timeout = usualTimeout, renew = true, retries = 0 } = options;
    checkTimeout(timeout);
    checkRetries(retries);
    // In browsers `fetch` throws if `this` is not the window.
    this.baseUrl = baseUrl;
    const sending = send ?? ((...request: Parameters<typeof fetch>) => fetch(...request));
    const transport = new Transport(new ServiceAddress(baseUrl, alias), appKey, sending);
    this.isProtected = transport.address.isProtected;
    const open = (logIn: LogInOptions, signal?: AbortSignal) =>
      withinLimits({ timeout, signal }, (limit) => openSession(transport, logIn, limit));
    const close = (session: ClientSession) =>
      this.#requests.isAccepted(session, { method: "POST", path: "/v1/logout" });
    this.#keeper = new SessionKeeper({ open, close }, { renews: renew });
    this.#requests = new ClientRequests(transport, this.#keeper, timeout, retries);
  }

  /** The current session, `undefined` before the log-in and after the log-out. */
  get session(): ClientSession | undefined {
    return this.#keeper.session;
  }

  /** Logs in. A previous session ends once the new one is open. */
  logIn(options: LogInOptions, { signal }: Pick<CallLimits, "signal"> = {}): Promise<LogInResult> {
    return this.#keeper.logIn(options, signal);
  }

  /** Id of a session of mode `session`, `undefined` in other modes. Keep it like a password. */
  get sessionId(): string | undefined {
    const { session } = this.#keeper;
    return session instanceof HeaderSession && session.mode === "session" ? session.credential : undefined;
  }

  /** Continues a session of mode `session` whose id was kept, or that `console.openSession` has opened. Sends nothing, and cannot renew it. */
  resume(sessionId: string): void {
    this.#keeper.resume(new HeaderSession("session", headerNames.sessionId, sessionId));
  }

  /**
   * Discards the credentials and ends the session. If the request fails, the call rejects and the session stays, so
   * that the call can be repeated. Without an open session, it resolves at once.
   */
  logOut(): Promise<void> {
    return this.#keeper.logOut();
  }

  /** Sets the password for automatic log-ins after a password change. Without an argument, it disables them. */
  replacePassword(password?: string): void {
    this.#keeper.replacePassword(password);
  }

  /** Whether the session is valid. The call extends the session. It never logs in again. */
  async checkSession(limits: CallLimits = {}): Promise<boolean> {
    const { session } = this.#keeper;
    if (session === undefined) return false;
    return this.#requests.isAccepted(session, { method: "GET", path: "/_CheckSession" }, limits);
  }

  /** Name, version and availability of the service. Needs no log-in. */
  checkService(limits: CallLimits = {}): Promise<ServiceData> {
    return this.call("GET /_CheckService", { ...limits, anonymous: true });
  }

  /** The OpenAPI document of the database. After a log-in it includes the classes that the user can read. */
  describeApi(options: CallOptions = {}): Promise<ApiDescription> {
    const anonymous = this.#keeper.session === undefined;
    return this.#requests.document<ApiDescription>({ ...options, path: "/openapi.json", anonymous });
  }

  /** Reads an object by id or UUID. Pass the result as `ifMatch` to a later write. */
  getObject<Known extends Attributes>(id: string, options: ObjectOptions = {}): Promise<BusinessObject<Known>> {
    return this.call("GET /v1/object/{idOrClass}", forObject(id, options)) as Promise<BusinessObject<Known>>;
  }

  /** One page of the objects of a class. With `count: "none"`, it has no counts. */
  listObjects<Known extends Attributes>(className: string, options?: PageOptions): Promise<ObjectPage<Known>>;
  listObjects<Known extends Attributes>(
    className: string,
    options: UncountedPageOptions,
  ): Promise<UncountedPage<Known>>;
  async listObjects<Known extends Attributes>(
    className: string,
    options: PageOptions | UncountedPageOptions = {},
  ): Promise<ObjectPage<Known> | UncountedPage<Known>> {
    const { page, cursor, perPage, query, count, serialization, ...limits } = options;
    const parameters = { page, cursor, perPage, query, count, serialization };
    const path = listPath(className);
    const isShort = withQuery(path, parameters).length <= maxAddress;
    const form = isShort
      ? { path, query: parameters }
      : ({ method: "POST", path: `${path}/query`, body: parameters, repeatable: true } as const);
    return this.#requests.data<ObjectPage<Known>>({ ...limits, ...form });
  }

  /**
   * All pages of the objects of a class, each fetched on demand. It uses cursors, so concurrent creations and deletions
   * neither skip nor repeat objects. The timeout applies to each page.
   */
  async *pages<Known extends Attributes>(
    className: string,
    options: ListOptions = {},
  ): AsyncGenerator<ObjectPage<Known>, void, undefined> {
    let page = await this.listObjects<Known>(className, options);
    yield page;
    for (let cursor = page["~Cursor"]; cursor !== undefined; cursor = page["~Cursor"]) {
      page = await this.listObjects<Known>(className, { ...options, cursor });
      // A full last page is followed by an empty one.
      if (page["~Elements"].length > 0) yield page;
    }
  }

  /** All objects of a class, fetched page by page. */
  async *objects<Known extends Attributes>(
    className: string,
    options: ListOptions = {},
  ): AsyncGenerator<BusinessObject<Known>, void, undefined> {
    for await (const page of this.pages<Known>(className, options)) yield* page["~Elements"];
  }

  /** Number of objects of a class that match a query. */
  async countObjects(className: string, options: CountOptions = {}): Promise<number> {
    const page = await this.listObjects(className, { ...options, perPage: 1, serialization: { type: "oid" } });
    return page["~Count"];
  }

  /** Number of objects of a class that match a query, as far as the server counts them within `limit`. */
  countWithin(className: string, { query, limit, ...limits }: CountWithinOptions): Promise<ObjectCount> {
    const request = { path: { className }, query: { query: { ...query }, limit } };
    return this.call("GET /v1/objects/{className}/count", { ...limits, ...request });
  }

  /**
   * Creates an object of a class and returns it. A reference is the id or UUID of an object, or `{ "~ObjectID": … }`; a
   * collection is an array of references.
   */
  createObject<Known extends Attributes>(
    className: string,
    attributes: Attributes,
    options: CreateOptions = {},
  ): Promise<BusinessObject<Known>> {
    const request = { ...forObject(className, options), body: attributes as Readonly<Record<string, unknown>> };
    return this.call("POST /v1/object/{idOrClass}", request) as Promise<BusinessObject<Known>>;
  }

  /**
   * Creates up to 1,000 objects of a class by one request. For each there is the object, or the code of its refusal, in the order
   * of `all`. With `idempotencyKey`, all are created in one transaction.
   */
  createObjects<Known extends Attributes>(
    className: string,
    all: readonly Attributes[],
    { serialization, ...options }: CreateOptions = {},
  ): Promise<MultiResult<BusinessObject<Known>>[]> {
    return sendItems(this.#requests, { ...options, path: listPath(className), query: { serialization }, body: all });
  }

  /** Changes only the given attributes of an object and returns the object. */
  updateObject<Known extends Attributes>(
    id: string,
    attributes: Attributes,
    options: UpdateOptions = {},
  ): Promise<BusinessObject<Known>> {
    const request = { ...forObject(id, options), body: attributes as Readonly<Record<string, unknown>> };
    return this.call("PATCH /v1/object/{idOrClass}", request) as Promise<BusinessObject<Known>>;
  }

  /** Changes all matching objects of a class, at most 10,000, in one transaction. Returns their number. */
  async updateObjects(
    className: string,
    query: MatchQuery,
    attributes: Attributes,
    options: CallOptions = {},
  ): Promise<number> {
    const request = {
      path: { className },
      query: { query: { ...query } },
      body: attributes as Readonly<Record<string, unknown>>,
    };
    return (await this.call("PATCH /v1/objects/{className}", { ...options, ...request }))["~Count"];
  }

  /** Ids of users and groups that can see the object, `null` for all with access to its class. Needs write access. */
  getReaders(id: string, options: CallOptions = {}): Promise<ReadersData> {
    return this.call("GET /v1/object/{idOrClass}/readers", { ...options, path: { idOrClass: id } });
  }

  /**
   * Sets the users and groups that can see the object, by id or UUID; `null` for all users with access to its class.
   * Users without administrator rights must stay among them, directly or through a group. The call writes the object.
   */
  setReaders(id: string, readers: readonly string[] | null, options: ReadersOptions = {}): Promise<ReadersData> {
    const request = { path: { idOrClass: id }, body: { readers } };
    return this.call("PUT /v1/object/{idOrClass}/readers", { ...options, ...request });
  }

  /**
   * Deletes an object, permanently unless `recycle` is set. 609 if it is already deleted; 718 if other objects need it
   * or another session has locked it.
   */
  async deleteObject(id: string, { recycle = false, ...options }: DeleteOptions = {}): Promise<void> {
    const query = recycle ? { moveToRecycler: true } : {};
    await this.call("DELETE /v1/object/{idOrClass}", { ...options, path: { idOrClass: id }, query });
  }

  /**
   * Sends up to 50 requests as one. The server executes them in order; results have the same order. A failed request
   * does not stop the others. With `atomic`, the first failure undoes all of them and the call rejects. Items cannot
   * have headers, so no `ifMatch`.
   */
  multi<Data = unknown>(items: readonly MultiItem[], options: MultiOptions = {}): Promise<MultiResult<Data>[]> {
    return sendMany<Data>(this.#requests, items, options);
  }

  /**
   * Runs a macro and returns its result. The input is any JSON, or absent. 401 without access; 710 for an unknown or
   * failed macro. To read the status message of a macro, use `request` with `/v1/execute/…`.
   */
  async execute<Data = unknown>(name: string, input?: unknown, options: ExecuteOptions = {}): Promise<Data> {
    const { skipChecker = false, ...limits } = options;
    const request = { path: { macroName: name }, query: skipChecker ? { skipChecker } : {}, body: input };
    return this.call("POST /v1/execute/{macroName}", { ...limits, ...request }) as Promise<Data>;
  }

  /** Restores a recycled object with its deletion cascade, and returns it. 609 if it was deleted permanently. */
  restoreObject<Known extends Attributes>(id: string, options: ObjectOptions = {}): Promise<BusinessObject<Known>> {
    return this.call("POST /v1/object/{idOrClass}/restore", forObject(id, options)) as Promise<BusinessObject<Known>>;
  }

  /**
   * A page of the recycle bin, newest first: the user's own deletions, for administrators all deletions. Lists only the
   * root of each deletion cascade.
   */
  listTrash({ perPage, cursor, ...limits }: TrashOptions = {}): Promise<TrashPage> {
    return this.call("GET /v1/recycler", { ...limits, query: { perPage, cursor } });
  }

  /**
   * Permanently deletes an object of the recycle bin with its deletion cascade. Returns the number of deleted objects.
   * 609 if it was deleted permanently before, 307 if it is not in the recycle bin, 718 if another object needs it.
   */
  async purgeObject(id: string, options: CallOptions = {}): Promise<number> {
    return (await this.call("DELETE /v1/recycler/{id}", { ...options, path: { id } }))["~Count"];
  }

  /**
   * Permanently deletes everything that the user recycled, with `all` everything that any user recycled. Returns the
   * number of deleted objects. One call handles at most 1,000 with their cascades; repeat it until it returns 0.
   */
  async purgeTrash({ all = false, ...limits }: PurgeOptions = {}): Promise<number> {
    return (await this.call("DELETE /v1/recycler", { ...limits, query: all ? { all } : {} }))["~Count"];
  }

  /** Whether an object is locked. */
  getLock(id: string, options: CallOptions = {}): Promise<Lock> {
    return this.call("GET /v1/lock/object/{id}", { ...options, path: { id } });
  }

  /**
   * Locks an object against writes of other sessions until `unlockObject` or the end of this session. 713 if another
   * session holds the lock, unless an administrator takes it over. A renewed session has no locks: use `renew: false` or
   * `ifMatch` for writes that need one.
   */
  lockObject(id: string, { takeOver = false, ...options }: LockOptions = {}): Promise<Lock> {
    const query = takeOver ? { takeOver } : {};
    return this.call("POST /v1/lock/object/{id}", { ...options, path: { id }, query });
  }

  /** Unlocks an object. 713 if another session holds the lock, except for administrators. */
  unlockObject(id: string, options: CallOptions = {}): Promise<Lock> {
    return this.call("DELETE /v1/lock/object/{id}", { ...options, path: { id } });
  }

  /** The classes that the user can read, with attributes. Administrators get all classes, with group rights. */
  getStructure(options: CallOptions = {}): Promise<ModelStructure> {
    return this.call("GET /v1/model/structure", options);
  }

  /**
   * Creates or redefines a class. Administrators only. 307 if objects would lose data. `ifMatch` takes a structure read
   * before: 713 if any class has changed since.
   */
  async putClass(
    name: string,
    definition: ClassDefinition,
    options: CallOptions & ConditionOptions = {},
  ): Promise<ClassStructure> {
    const request = { path: { className: name }, body: definition };
    return this.call("PUT /v1/model/structure/{className}", { ...options, ...request });
  }

  /** Deletes an unused class. Administrators only. `ifMatch` as in `putClass`. */
  async removeClass(name: string, options: CallOptions & ConditionOptions = {}): Promise<void> {
    await this.call("DELETE /v1/model/structure/{className}", { ...options, path: { className: name } });
  }

  /**
   * Calls an operation by its method and path, such as `GET /v1/object/{idOrClass}`. The types of its path parameters, query,
   * body and data are those of the API.
   */
  call<Key extends keyof DatabaseCalls>(
    operation: Key,
    ...options: CallArguments<DatabaseCalls[Key]["input"], OperationOptions>
  ): Promise<DatabaseCalls[Key]["data"]> {
    return this.#requests.call(operation, ...options);
  }

  /** Sends any request whose response is an envelope. */
  request<Data = unknown>(options: RequestOptions): Promise<Answer<Data>> {
    return this.#requests.json<Data>(options);
  }

  /** Sends any request whose response is a file. A 304 (`if-none-match`) has no bytes. */
  requestBytes(options: RequestOptions): Promise<BytesAnswer> {
    return this.#requests.bytes(options);
  }

  /** The same, with the bytes as they arrive. Limits apply until then. */
  requestStream(options: RequestOptions): Promise<StreamAnswer> {
    return this.#requests.stream(options);
  }
}

/** The input of a call about an object, or about a new one of a class. */
function forObject(idOrClass: string, { serialization, ...options }: CreateOptions & ConditionOptions) {
  return { ...options, path: { idOrClass }, query: { serialization } };
}

const listPath = (className: string): string => `/v1/objects/${encodeURIComponent(className)}`;
