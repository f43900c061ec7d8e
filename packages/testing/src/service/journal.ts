import type { TestServer } from "@sallyport/server/testing";
import { masked, maskedText } from "../matchers/secrets.ts";
import type { AnsweredRequest } from "./answered-request.ts";

/** Requests that the journal keeps. */
const maxRequests = 1_000;

/** The requests to a service in this process, without their credentials. */
export class Journal {
  readonly #listeners = new Set<(request: AnsweredRequest) => void>();
  #requests: AnsweredRequest[] = [];

  constructor(server: TestServer) {
    server.answered.subscribe(({ body, data, path, user, userId, items, hasFile, ...record }) => {
      const { requestId, method, alias, route, status, code, mode, duration } = record;
      const seeded = alias === null || userId === undefined ? null : server.nameOf(alias, userId);
      const prefix = alias === null || alias === "" ? "" : `/${alias}`;
      this.#add({
        requestId,
        method,
        alias,
        route,
        status,
        code,
        mode,
        duration,
        hasFile,
        items: items?.map((item) => ({ route: item.route, method: item.method, status: item.status, code: item.code })),
        path: maskedText(path.startsWith(prefix) ? path.slice(prefix.length) : path),
        user: user ?? seeded,
        body: masked(body),
        data: masked(data),
      });
    });
  }

  /** Oldest first. */
  get requests(): readonly AnsweredRequest[] {
    return this.#requests;
  }

  subscribe(listener: (request: AnsweredRequest) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  clear(): void {
    this.#requests = [];
  }

  #add(request: AnsweredRequest): void {
    this.#requests.push(request);
    if (this.#requests.length > maxRequests) this.#requests.shift();
    for (const listener of this.#listeners) listener(request);
  }
}
