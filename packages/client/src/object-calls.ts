import type { CountData, ReadersData } from "@sallyport/contract";
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
  UpdateOptions,
} from "./objects.ts";
import type { CallOptions, ClientRequests } from "./requests.ts";
import { ifMatchHeader, withVersion } from "./version.ts";

export class ObjectCalls {
  constructor(private readonly requests: ClientRequests) {}

  async get<Known extends Attributes>(
    id: string,
    { serialization, ...limits }: ObjectOptions,
  ): Promise<BusinessObject<Known>> {
    const path = objectPath(id);
    const { data, etag } = await this.requests.json<BusinessObject<Known>>({
      ...limits,
      path,
      query: { serialization },
    });
    return withVersion(data, etag);
  }

  async page<Known extends Attributes>(className: string, options: PageOptions): Promise<ObjectPage<Known>> {
    const { page, cursor, perPage, query, count, serialization, ...limits } = options;
    const path = `/v1/objects/${encodeURIComponent(className)}`;
    const parameters = { page, cursor, perPage, query, count, serialization };
    const { data } = await this.requests.json<ObjectPage<Known>>({ ...limits, path, query: parameters });
    return data;
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

  async readers(id: string, limits: CallOptions): Promise<ReadersData> {
    const { data, etag } = await this.requests.json<ReadersData>({
      ...limits,
      path: `${objectPath(id)}/readers`,
    });
    return withVersion(data, etag);
  }

  async count(className: string, options: CountOptions): Promise<number> {
    const page = await this.page(className, { ...options, perPage: 1, serialization: { type: "oid" } });
    return page["~Count"];
  }
}

export class WriteCalls {
  constructor(private readonly requests: ClientRequests) {}

  async create<Known extends Attributes>(
    className: string,
    body: Attributes,
    options: ObjectOptions,
  ): Promise<BusinessObject<Known>> {
    const { serialization, ...limits } = options;
    const request = { ...limits, method: "POST", path: objectPath(className), query: { serialization }, body } as const;
    const { data, etag } = await this.requests.json<BusinessObject<Known>>(request);
    return withVersion(data, etag);
  }

  async update<Known extends Attributes>(
    id: string,
    body: Attributes,
    options: UpdateOptions,
  ): Promise<BusinessObject<Known>> {
    const { serialization, ifMatch, ...limits } = options;
    const headers = ifMatchHeader(ifMatch);
    const request = {
      ...limits,
      method: "PATCH",
      path: objectPath(id),
      query: { serialization },
      headers,
      body,
    } as const;
    const { data, etag } = await this.requests.json<BusinessObject<Known>>(request);
    return withVersion(data, etag);
  }

  async updateAll(className: string, query: MatchQuery, body: Attributes, limits: CallOptions): Promise<number> {
    const path = `/v1/objects/${encodeURIComponent(className)}`;
    const { data } = await this.requests.json<CountData>({ ...limits, method: "PATCH", path, query: { query }, body });
    return data["~Count"];
  }

  async setReaders(
    id: string,
    readers: readonly string[] | null,
    { ifMatch, ...limits }: ReadersOptions,
  ): Promise<ReadersData> {
    const request = {
      ...limits,
      method: "PUT",
      path: `${objectPath(id)}/readers`,
      headers: ifMatchHeader(ifMatch),
      body: { readers },
    } as const;
    const { data, etag } = await this.requests.json<ReadersData>(request);
    return withVersion(data, etag);
  }

  async remove(id: string, options: DeleteOptions): Promise<void> {
    const { recycle = false, ifMatch, ...limits } = options;
    const query = recycle ? { moveToRecycler: "true" } : {};
    await this.requests.json({
      ...limits,
      method: "DELETE",
      path: objectPath(id),
      query,
      headers: ifMatchHeader(ifMatch),
    });
  }

  async restore<Known extends Attributes>(id: string, options: ObjectOptions): Promise<BusinessObject<Known>> {
    const { serialization, ...limits } = options;
    const request = { ...limits, method: "POST", path: `${objectPath(id)}/restore`, query: { serialization } } as const;
    const { data, etag } = await this.requests.json<BusinessObject<Known>>(request);
    return withVersion(data, etag);
  }

  async listRecycler(options: RecyclerOptions): Promise<RecyclerPage> {
    const { perPage, cursor, ...limits } = options;
    return (
      await this.requests.json<RecyclerPage>({
        ...limits,
        method: "GET",
        path: "/v1/recycler",
        query: { perPage, cursor },
      })
    ).data;
  }

  async purge(id: string, limits: CallOptions): Promise<number> {
    const { data } = await this.requests.json<CountData>({
      ...limits,
      method: "DELETE",
      path: `/v1/recycler/${encodeURIComponent(id)}`,
    });
    return data["~Count"];
  }

  async purgeAll(options: PurgeOptions): Promise<number> {
    const { all = false, ...limits } = options;
    const { data } = await this.requests.json<CountData>({
      ...limits,
      method: "DELETE",
      path: "/v1/recycler",
      query: all ? { all: "true" } : {},
    });
    return data["~Count"];
  }
}

function objectPath(idOrClass: string): string {
  return `/v1/object/${encodeURIComponent(idOrClass)}`;
}
