import type { IncomingMessage } from "node:http";
import { type AppKey, listingsOf, ServiceError } from "@sallyport/core";
import { writeSuccess } from "../envelope.ts";
import type { Exchange, Step } from "./exchange.ts";

const requestHeaders = [
  "appkey, sessionid, authorization, secure-token, content-type, encrypted, x-request-id",
  "if-match, if-none-match, if-range, content-range, range",
].join(", ");

const exposedHeaders =
  "content-range, accept-ranges, etag, encrypted, retry-after, content-disposition, x-request-id, sync-restart";

/** Adds the CORS headers if the app key lists the origin of the request. */
export function allowOrigin({ request, answerHeaders }: Exchange, { origins }: AppKey): void {
  const { origin } = request.headers;
  if (origin !== undefined && listingsOf(origin).some((listed) => origins.includes(listed)))
    Object.assign(answerHeaders, corsHeaders(origin));
}

/** CORS headers of a response to a listed origin. */
function corsHeaders(origin: string): Record<string, string> {
  return { "Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": exposedHeaders, Vary: "Origin" };
}

/** CORS headers of a preflight response. */
function preflightHeaders(origin: string): Record<string, string> {
  return {
    "Access-Control-Allow-Origin": origin,
    "Access-Control-Allow-Methods": "GET, POST, PUT, PATCH, DELETE",
    "Access-Control-Allow-Headers": requestHeaders,
    "Access-Control-Max-Age": "600",
    Vary: "Origin",
  };
}

/** Whether the request is a CORS preflight. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === "OPTIONS" && headers.origin !== undefined && headers["access-control-request-method"] !== undefined;
}

/** Answers a preflight if any app key of the database lists the origin. Otherwise throws 305. */
export const answerPreflight: Step = async (exchange) => {
  if (!exchange.isPreflight) return;
  const origin = exchange.request.headers.origin as string;
  const { appKeys } = exchange.database.storage.repositories;
  const listed = await Promise.all(listingsOf(origin).map((listing) => appKeys.listsOrigin(listing)));
  if (!listed.includes(true)) throw new ServiceError(305);
  Object.assign(exchange.answerHeaders, preflightHeaders(origin));
  writeSuccess(exchange, { data: {} });
};
