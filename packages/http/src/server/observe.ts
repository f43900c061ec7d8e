import { failureOf } from "../envelope/failure.ts";
import type { Exchange } from "../pipeline/exchange.ts";
import type { RequestObserver } from "./request-observer.ts";

/** Tells of an answer that is written; `error` is what has failed, if anything has. */
export function observe(observer: RequestObserver, exchange: Exchange, error: unknown): void {
  const { requestId, request, response, alias, matched, origin, startedAt, items } = exchange;
  observer.answered({
    requestId,
    method: request.method ?? "",
    alias,
    route: matched?.pattern ?? null,
    status: response.statusCode,
    code: error === undefined ? 0 : failureOf(error).code,
    duration: performance.now() - startedAt,
    address: origin.address,
    ...(items === null ? {} : { items }),
    ...(error === undefined ? {} : { error }),
  });
}
