import type { ReadersData } from "@sallyport/contract";
import type { CallOptions } from "../requests/call-options.ts";
import type { ClientRequests } from "../requests/client-requests.ts";
import type { Attributes, BusinessObject, ObjectPage } from "./business-object.ts";
import type { CountOptions, ListOptions, ObjectOptions, PageOptions } from "./list-options.ts";
import { withVersion } from "./version.ts";

/** Reading objects. */
export class ObjectCalls {
  constructor(private readonly requests: ClientRequests) {}

  async get<Known extends Attributes>(
    id: string,
    { serialization, ...limits }: ObjectOptions,
  ): Promise<BusinessObject<Known>> {
    const path = `/v1/object/${encodeURIComponent(id)}`;
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
      path: `/v1/object/${encodeURIComponent(id)}/readers`,
    });
    return withVersion(data, etag);
  }

  async count(className: string, options: CountOptions): Promise<number> {
    const page = await this.page(className, { ...options, perPage: 1, serialization: { type: "oid" } });
    return page["~Count"];
  }
}
