import type { IncomingMessage } from "node:http";
import { listingsOf, ServiceError } from "@sallyport/core";
import { writeSuccess } from "../envelope.ts";
import type { Step } from "./exchange.ts";

const requestHeaders = [
  "appkey, sessionid, authorization, secure-token, content-type, encrypted, x-request-id",
  "if-match, if-none-match, if-range, content-range, range",
].join(", ");

const exposedHeaders =
  "content-range, accept-ranges, etag, encrypted, retry-after, content-disposition, x-request-id, sync-restart";

/** Headers of any answer to a browser whose origin is listed. */
export function corsHeaders(origin: string): Record<string, string> {
  return { "Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": exposedHeaders, Vary: "Origin" };
}

/** Headers of the answer to a preflight. */
function preflightHeaders(origin: string): Record<string, string> {
  return {
    "Access-Control-Allow-Origin": origin,
    "Access-Control-Allow-Methods": "GET, POST, PUT, PATCH, DELETE",
    "Access-Control-Allow-Headers": requestHeaders,
    "Access-Control-Max-Age": "600",
    Vary: "Origin",
  };
}

/** Whether a browser asks before it sends the request itself. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === "OPTIONS" && headers.origin !== undefined && headers["access-control-request-method"] !== undefined;
}

/** Answers a browser's preflight if any app key of the database lists the origin, else 305 like any other `OPTIONS`. */
export const answerPreflight: Step = async (exchange) => {
  if (!exchange.isPreflight) return;
  const origin = exchange.request.headers.origin as string;
  const { appKeys } = exchange.database.storage.repositories;
  const listed = await Promise.all(listingsOf(origin).map((listing) => appKeys.listsOrigin(listing)));
  if (!listed.includes(true)) throw new ServiceError(305);
  Object.assign(exchange.answerHeaders, preflightHeaders(origin));
  writeSuccess(exchange, { data: {} });
};
