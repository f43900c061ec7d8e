import type { ClientRequests } from "../requests/client-requests.ts";
import type { CallOptions } from "../requests/call-options.ts";
import type { Method } from "../transport/transport.ts";
import type { Lock } from "./lock.ts";

/** Locks of objects. */
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
