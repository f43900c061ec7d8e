import type { LockData } from "@sallyport/contract";
import type { CallOptions, ClientRequests } from "./requests.ts";
import type { Method } from "./transport/transport.ts";

/** Whether an object is locked, and in words by whom and since when. */
export type Lock = LockData;

export class LockCalls {
  constructor(private readonly requests: ClientRequests) {}

  state(id: string, limits: CallOptions): Promise<Lock> {
    return this.#call("GET", id, limits);
  }

  take(id: string, limits: CallOptions): Promise<Lock> {
    return this.#call("POST", id, limits);
  }

  release(id: string, limits: CallOptions): Promise<Lock> {
    return this.#call("DELETE", id, limits);
  }

  async #call(method: Method, id: string, limits: CallOptions): Promise<Lock> {
    const { data } = await this.requests.json<Lock>({
      ...limits,
      method,
      path: `/v1/lock/object/${encodeURIComponent(id)}`,
    });
    return data;
  }
}
