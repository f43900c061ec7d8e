import type { CountData, LockData, ReadersData } from "@sallyport/contract";
import type {
  Attributes,
  BusinessObject,
  CountOptions,
  DeleteOptions,
  ListOptions,
  MatchQuery,
  ObjectOptions,
  ObjectPage,
  PageOptions,
  PurgeOptions,
  ReadersOptions,
  RecyclerOptions,
  RecyclerPage,
} from "./objects.ts";
import type { CallOptions, ClientRequests, RequestOptions } from "./requests.ts";
import type { Method } from "./transport/transport.ts";
import type { ConditionOptions } from "./version.ts";

/** The calls for business objects, their locks and the recycle bin. */
export class ObjectCalls {
  constructor(private readonly requests: ClientRequests) {}

  /** Reads, creates, changes or restores one object. */
  async one<Known extends Attributes>(
    method: Method,
    idOrClass: string,
    { serialization, ...options }: ObjectOptions & ConditionOptions,
    body?: Attributes,
    part = "",
  ): Promise<BusinessObject<Known>> {
    const path = objectPath(idOrClass) + part;
    return this.requests.versioned<BusinessObject<Known>>({ ...options, method, path, query: { serialization }, body });
  }

  async page<Known extends Attributes>(className: string, options: PageOptions): Promise<ObjectPage<Known>> {
    const { page, cursor, perPage, query, count, serialization, ...limits } = options;
    const parameters = { page, cursor, perPage, query, count, serialization };
    return this.requests.data<ObjectPage<Known>>({ ...limits, path: classPath(className), query: parameters });
  }

  /** Asks for a page only when the one before it was taken. */
  async *pages<Known extends Attributes>(
    className: string,
    options: ListOptions,
  ): AsyncGenerator<ObjectPage<Known>, void, undefined> {
    let page = await this.page<Known>(className, options);
    yield page;
    for (let cursor = page["~Cursor"]; cursor !== undefined; cursor = page["~Cursor"]) {
      page = await this.page<Known>(className, { ...options, cursor });
      // Behind a last page that is full comes an empty one.
      if (page["~Elements"].length > 0) yield page;
    }
  }

  async count(className: string, options: CountOptions): Promise<number> {
    const page = await this.page(className, { ...options, perPage: 1, serialization: { type: "oid" } });
    return page["~Count"];
  }

  async updateAll(className: string, query: MatchQuery, body: Attributes, limits: CallOptions): Promise<number> {
    return this.counted({ ...limits, method: "PATCH", path: classPath(className), query: { query }, body });
  }

  async remove(id: string, { recycle = false, ...options }: DeleteOptions): Promise<void> {
    const query = recycle ? { moveToRecycler: "true" } : {};
    await this.requests.versioned({ ...options, method: "DELETE", path: objectPath(id), query });
  }

  async readers(method: Method, id: string, options: ReadersOptions, body?: object): Promise<ReadersData> {
    return this.requests.versioned<ReadersData>({ ...options, method, path: `${objectPath(id)}/readers`, body });
  }

  recycler({ perPage, cursor, ...limits }: RecyclerOptions): Promise<RecyclerPage> {
    return this.requests.data<RecyclerPage>({ ...limits, path: "/v1/recycler", query: { perPage, cursor } });
  }

  async purge(id: string, limits: CallOptions): Promise<number> {
    return this.counted({ ...limits, method: "DELETE", path: `/v1/recycler/${encodeURIComponent(id)}` });
  }

  purgeAll({ all = false, ...limits }: PurgeOptions): Promise<number> {
    return this.counted({ ...limits, method: "DELETE", path: "/v1/recycler", query: all ? { all: "true" } : {} });
  }

  async lock(method: Method, id: string, limits: CallOptions): Promise<LockData> {
    return this.requests.data<LockData>({ ...limits, method, path: `/v1/lock/object/${encodeURIComponent(id)}` });
  }

  private async counted(request: RequestOptions): Promise<number> {
    return (await this.requests.data<CountData>(request))["~Count"];
  }
}

function objectPath(idOrClass: string): string {
  return `/v1/object/${encodeURIComponent(idOrClass)}`;
}

function classPath(className: string): string {
  return `/v1/objects/${encodeURIComponent(className)}`;
}
