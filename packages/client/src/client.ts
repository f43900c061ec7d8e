import type { ApiDescription, CountData, ReadersData, ServiceData } from "@sallyport/contract";
import type { ClientOptions, LogInOptions } from "./options.ts";
import { type LogInResult, openSession } from "./log-in.ts";
import { type ClassDefinition, classPath, type ClassStructure, type ModelStructure, structurePath } from "./model.ts";
import { type MultiItem, type MultiOptions, type MultiResult, sendMany } from "./multi.ts";
import type {
  Attributes,
  BusinessObject,
  CountOptions,
  DeleteOptions,
  ExecuteOptions,
  ListOptions,
  Lock,
  MatchQuery,
  ObjectOptions,
  ObjectPage,
  PageOptions,
  PurgeOptions,
  ReadersOptions,
  TrashOptions,
  TrashPage,
  UpdateOptions,
} from "./objects.ts";
import { type Answer, type BytesAnswer, type CallOptions, ClientRequests, type RequestOptions } from "./requests.ts";
import type { ClientSession } from "./sessions/client-session.ts";
import { SessionKeeper } from "./sessions/session-keeper.ts";
import { type CallLimits, checkTimeout, withinLimits } from "./transport/deadline.ts";
import { ServiceAddress } from "./transport/service-address.ts";
import { type Method, Transport } from "./transport/transport.ts";
import type { ConditionOptions } from "./version.ts";

const usualTimeout = 30_000;

/**
 * A client of one database. Calls reject with a `SallyportError` when the server refuses, a `TransportError` when there is no
 * answer of it, a `ChannelError` when encryption does not hold, and a `NotLoggedInError` when they need a log-in and there
 * is none. Calls can be made in parallel.
 */
export class SallyportClient {
  /** Whether nobody in between can change what is sent: the connection is TLS, or does not leave the machine. */
  readonly isProtected: boolean;
  readonly #keeper: SessionKeeper;
  readonly #requests: ClientRequests;

  /** Throws a `TypeError` or `RangeError` for options that cannot be meant. */
  constructor({ baseUrl, alias = "", appKey, fetch: send, timeout = usualTimeout, renew = true }: ClientOptions) {
    checkTimeout(timeout);
    // Browsers mind what their `fetch` is called on.
    const sending = send ?? ((...request: Parameters<typeof fetch>) => fetch(...request));
    const transport = new Transport(new ServiceAddress(baseUrl, alias), appKey, sending);
    this.isProtected = transport.address.isProtected;
    const open = (options: LogInOptions, signal?: AbortSignal) =>
      withinLimits({ timeout, signal }, (limit) => openSession(transport, options, limit));
    const close = (session: ClientSession) =>
      this.#requests.isAccepted(session, { method: "POST", path: "/v1/logout" });
    this.#keeper = new SessionKeeper({ open, close }, { renews: renew });
    this.#requests = new ClientRequests(transport, this.#keeper, timeout);
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

  /** With what password the client logs in anew when its session is over, once it was changed; without one it does so no more. */
  replacePassword(password?: string): void {
    this.#keeper.replacePassword(password);
  }

  /** Whether the session lives; asking keeps it alive. Never logs in anew. */
  async checkSession(limits: CallLimits = {}): Promise<boolean> {
    const { session } = this.#keeper;
    if (session === undefined) return false;
    return this.#requests.isAccepted(session, { method: "GET", path: "/_CheckSession" }, limits);
  }

  /** Name and version of the service; needs no log-in, and tells whether the database can be used. */
  checkService(limits: CallLimits = {}): Promise<ServiceData> {
    return this.#requests.data<ServiceData>({ ...limits, path: "/_CheckService", anonymous: true });
  }

  /** What the database can do, as an OpenAPI document; after a log-in with the classes that the user may read. */
  describeApi(options: CallOptions = {}): Promise<ApiDescription> {
    const anonymous = this.#keeper.session === undefined;
    return this.#requests.document<ApiDescription>({ ...options, path: "/openapi.json", anonymous });
  }

  /** Reads an object by its id or UUID. What comes can be given as `ifMatch` to a write. */
  getObject<Known extends Attributes>(id: string, options: ObjectOptions = {}): Promise<BusinessObject<Known>> {
    return this.#object<Known>("GET", id, options);
  }

  /** One page of the objects of a class. */
  async listObjects<Known extends Attributes>(
    className: string,
    options: PageOptions = {},
  ): Promise<ObjectPage<Known>> {
    const { page, cursor, perPage, query, count, serialization, ...limits } = options;
    const parameters = { page, cursor, perPage, query, count, serialization };
    return this.#requests.data<ObjectPage<Known>>({ ...limits, path: listPath(className), query: parameters });
  }

  /**
   * All pages of the objects of a class, each asked for when the one before was taken: it goes on where that one ended, so
   * that nothing is skipped or repeated when objects are created or deleted meanwhile. Limits of time are those of each page.
   */
  async *pages<Known extends Attributes>(
    className: string,
    options: ListOptions = {},
  ): AsyncGenerator<ObjectPage<Known>, void, undefined> {
    let page = await this.listObjects<Known>(className, options);
    yield page;
    for (let cursor = page["~Cursor"]; cursor !== undefined; cursor = page["~Cursor"]) {
      page = await this.listObjects<Known>(className, { ...options, cursor });
      // Behind a last page that is full comes an empty one.
      if (page["~Elements"].length > 0) yield page;
    }
  }

  /** All objects of a class, one by one, read page by page. */
  async *objects<Known extends Attributes>(
    className: string,
    options: ListOptions = {},
  ): AsyncGenerator<BusinessObject<Known>, void, undefined> {
    for await (const page of this.pages<Known>(className, options)) yield* page["~Elements"];
  }

  /** How many objects of a class match a query. */
  async countObjects(className: string, options: CountOptions = {}): Promise<number> {
    const page = await this.listObjects(className, { ...options, perPage: 1, serialization: { type: "oid" } });
    return page["~Count"];
  }

  /**
   * Creates an object of a class; how it is now comes back, with its id. A reference is the id or UUID of an object, or
   * `{ "~ObjectID": … }`; a collection is an array of those.
   */
  createObject<Known extends Attributes>(
    className: string,
    attributes: Attributes,
    options: ObjectOptions = {},
  ): Promise<BusinessObject<Known>> {
    return this.#object<Known>("POST", className, options, attributes);
  }

  /** Changes the attributes of an object that are given, and no others; how it is now comes back. */
  updateObject<Known extends Attributes>(
    id: string,
    attributes: Attributes,
    options: UpdateOptions = {},
  ): Promise<BusinessObject<Known>> {
    return this.#object<Known>("PATCH", id, options, attributes);
  }

  /** Changes all objects of a class that match, at most 10,000, all of them or none; how many there were. */
  async updateObjects(
    className: string,
    query: MatchQuery,
    attributes: Attributes,
    options: CallOptions = {},
  ): Promise<number> {
    return this.#counted({
      ...options,
      method: "PATCH",
      path: listPath(className),
      query: { query },
      body: attributes,
    });
  }

  /** Who alone may see an object, as ids of users and groups; `null` for all whom its class lets. For users who may write the object. */
  getReaders(id: string, options: CallOptions = {}): Promise<ReadersData> {
    return this.#readers("GET", id, options);
  }

  /**
   * Says who alone may see an object: ids or UUIDs of users and groups, `null` for all whom its class lets. The user, or a group of the
   * user, stays among them, unless an administrator does it. It is a write of the object.
   */
  setReaders(id: string, readers: readonly string[] | null, options: ReadersOptions = {}): Promise<ReadersData> {
    return this.#readers("PUT", id, options, { readers });
  }

  /**
   * Deletes an object, for good unless `recycle` is given. What is gone already: 609; what cannot go because others need it, or for a
   * lock of another session: 718.
   */
  async deleteObject(id: string, { recycle = false, ...options }: DeleteOptions = {}): Promise<void> {
    const query = recycle ? { moveToRecycler: "true" } : {};
    await this.#requests.versioned({ ...options, method: "DELETE", path: objectPath(id), query });
  }

  /**
   * Sends up to 50 requests as one, which are done in their order. Whatever becomes of one of them, the others are done, and the
   * results come in the order of the requests; with `atomic` all of them are done, or the call rejects and none is. `ifMatch` and
   * other headers are for requests of their own.
   */
  multi<Data = unknown>(items: readonly MultiItem[], options: MultiOptions = {}): Promise<MultiResult<Data>[]> {
    return sendMany<Data>(this.#requests, items, options);
  }

  /**
   * Has the server run a macro with an input, any JSON or none; what it returns comes back. Without access: 401; one that is not
   * there or fails: 710. The message of a macro tells `request` of `/v1/execute/…`.
   */
  async execute<Data = unknown>(name: string, input?: unknown, options: ExecuteOptions = {}): Promise<Data> {
    const { skipChecker = false, ...limits } = options;
    const path = `/v1/execute/${encodeURIComponent(name)}`;
    const query = skipChecker ? { skipChecker } : {};
    return this.#requests.data<Data>({ ...limits, method: "POST", path, query, body: input });
  }

  /** Brings a recycled object back, and what was recycled with it; how it is now comes back. 609 when it was deleted for good. */
  restoreObject<Known extends Attributes>(id: string, options: ObjectOptions = {}): Promise<BusinessObject<Known>> {
    return this.#object<Known>("POST", id, options, undefined, "/restore");
  }

  /**
   * A page of the recycle bin, the newest first: what this user has recycled, for administrators what all users have. Of objects that were
   * recycled together, the one that took the others along.
   */
  listTrash({ perPage, cursor, ...limits }: TrashOptions = {}): Promise<TrashPage> {
    return this.#requests.data<TrashPage>({ ...limits, path: "/v1/recycler", query: { perPage, cursor } });
  }

  /**
   * Deletes an object of the recycle bin for good, and what was recycled with it; how many objects that were. 609 when it was deleted for good
   * before, 307 when it is not in the recycle bin, 718 when another object needs it.
   */
  async purgeObject(id: string, options: CallOptions = {}): Promise<number> {
    return this.#counted({ ...options, method: "DELETE", path: `/v1/recycler/${encodeURIComponent(id)}` });
  }

  /**
   * Deletes for good what this user has recycled, with `all` what all users have; how many objects that were. One call purges at most 1,000 with what was
   * recycled with them: repeat it until it gives 0.
   */
  purgeTrash({ all = false, ...limits }: PurgeOptions = {}): Promise<number> {
    return this.#counted({ ...limits, method: "DELETE", path: "/v1/recycler", query: all ? { all: "true" } : {} });
  }

  /** Whether an object is locked. */
  getLock(id: string, options: CallOptions = {}): Promise<Lock> {
    return this.#lock("GET", id, options);
  }

  /**
   * Locks an object: until `unlockObject` or the end of this session, no other session writes it. 713 if another one has locked
   * it. A session that was renewed has no locks; a write that counts on one says `renew: false`, or `ifMatch`.
   */
  lockObject(id: string, options: CallOptions = {}): Promise<Lock> {
    return this.#lock("POST", id, options);
  }

  /** Gives the lock of an object free; administrators also that of another session, which is 713 for others. */
  unlockObject(id: string, options: CallOptions = {}): Promise<Lock> {
    return this.#lock("DELETE", id, options);
  }

  /** The classes that the user may read, with their attributes; for administrators all of them, with the rights of groups. */
  getStructure(options: CallOptions = {}): Promise<ModelStructure> {
    return this.#requests.versioned<ModelStructure>({ ...options, path: structurePath });
  }

  /**
   * Creates a class or gives it another definition, for administrators. Refused with 307 when objects would lose something by it.
   * `ifMatch`, a structure that was read: 713 if any class has changed since.
   */
  async putClass(
    name: string,
    definition: ClassDefinition,
    options: CallOptions & ConditionOptions = {},
  ): Promise<ClassStructure> {
    return this.#requests.versioned<ClassStructure>({
      ...options,
      method: "PUT",
      path: classPath(name),
      body: definition,
    });
  }

  /** Removes a class that nothing uses any more, for administrators. `ifMatch` as of `putClass`. */
  async removeClass(name: string, options: CallOptions & ConditionOptions = {}): Promise<void> {
    await this.#requests.versioned({ ...options, method: "DELETE", path: classPath(name) });
  }

  /** Any request whose answer is an envelope. */
  request<Data = unknown>(options: RequestOptions): Promise<Answer<Data>> {
    return this.#requests.json<Data>(options);
  }

  /** Any request whose answer is a file. */
  requestBytes(options: RequestOptions): Promise<BytesAnswer> {
    return this.#requests.bytes(options);
  }

  /** Reads, creates, changes or restores one object. */
  async #object<Known extends Attributes>(
    method: Method,
    idOrClass: string,
    { serialization, ...options }: ObjectOptions & ConditionOptions,
    body?: Attributes,
    part = "",
  ): Promise<BusinessObject<Known>> {
    const path = objectPath(idOrClass) + part;
    return this.#requests.versioned<BusinessObject<Known>>({
      ...options,
      method,
      path,
      query: { serialization },
      body,
    });
  }

  async #readers(method: Method, id: string, options: ReadersOptions, body?: object): Promise<ReadersData> {
    return this.#requests.versioned<ReadersData>({ ...options, method, path: `${objectPath(id)}/readers`, body });
  }

  async #lock(method: Method, id: string, limits: CallOptions): Promise<Lock> {
    return this.#requests.data<Lock>({ ...limits, method, path: `/v1/lock/object/${encodeURIComponent(id)}` });
  }

  async #counted(request: RequestOptions): Promise<number> {
    return (await this.#requests.data<CountData>(request))["~Count"];
  }
}

function objectPath(idOrClass: string): string {
  return `/v1/object/${encodeURIComponent(idOrClass)}`;
}

function listPath(className: string): string {
  return `/v1/objects/${encodeURIComponent(className)}`;
}
