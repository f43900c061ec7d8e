import type { ClientRequests } from "../requests/client-requests.ts";
import type { Attributes, BusinessObject, ObjectPage } from "./business-object.ts";
import type { ListOptions, ObjectOptions, PageOptions } from "./list-options.ts";

const usualPerPage = 50;

/** Reading objects. */
export class ObjectCalls {
  constructor(private readonly requests: ClientRequests) {}

  async get<Known extends Attributes>(id: string, { serialization, ...limits }: ObjectOptions): Promise<BusinessObject<Known>> {
    const path = `/v1/object/${encodeURIComponent(id)}`;
    const { data } = await this.requests.json<BusinessObject<Known>>({ ...limits, path, query: { serialization } });
    return data;
  }

  async page<Known extends Attributes>(className: string, options: PageOptions): Promise<ObjectPage<Known>> {
    const { page, perPage, query, serialization, ...limits } = options;
    const path = `/v1/objects/${encodeURIComponent(className)}`;
    const parameters = { page, perPage, query, serialization };
    const { data } = await this.requests.json<ObjectPage<Known>>({ ...limits, path, query: parameters });
    return data;
  }

  /** Asks for a page only when the one before it was taken. */
  async *pages<Known extends Attributes>(className: string, options: ListOptions): AsyncGenerator<ObjectPage<Known>, void, undefined> {
    const { perPage = usualPerPage } = options;
    for (let page = 0; ; page += 1) {
      const answer = await this.page<Known>(className, { ...options, page, perPage });
      yield answer;
      const isFull = answer["~Elements"].length >= perPage;
      if (!isFull || (page + 1) * perPage >= answer["~Count"]) return;
    }
  }
}
