import { type Admission, type AppKey, listingsOf, ServiceError } from "@sallyport/storage";
import { type Database } from "@sallyport/core";
import { writeSuccess } from "../answer.ts";
import { failureOf } from "../envelope.ts";
import type { DatabaseDirectory, HttpSettings } from "../http-settings.ts";
import type { Exchange, PipelineParts, Step } from "../exchange/exchange.ts";
import { addressedDatabase, isPreflight } from "./find-route.ts";
import type { ListedOrigins } from "../exchange/listed-origins.ts";

const requestHeaders = [
  "appkey, sessionid, authorization, secure-token, content-type, encrypted, x-request-id",
  "if-match, if-none-match, if-range, content-range, range, idempotency-key",
].join(", ");

const exposedHeaders =
  "content-range, accept-ranges, etag, encrypted, retry-after, content-disposition, x-request-id, sync-restart, not-executed";

/** Adds the CORS headers if the app key lists the origin of the request. From then on, no other key counts. */
export function allowOrigin(exchange: Exchange, { origins }: AppKey, listed: ListedOrigins): void {
  const { request, answerHeaders, database } = exchange;
  const { origin } = request.headers;
  exchange.isOriginChecked = true;
  if (origin === undefined || !listingsOf(origin).some((listing) => origins.includes(listing))) return;
  listed.note(database, origin);
  Object.assign(answerHeaders, corsHeaders(origin));
}

/** Adds the CORS headers to the answer of a route without an app key, if any key of the database lists the origin. */
export async function allowListedOrigin(exchange: Exchange, origin: string, listed: ListedOrigins): Promise<void> {
  exchange.isOriginChecked = true;
  if (await listed.look(exchange.database, origin)) Object.assign(exchange.answerHeaders, corsHeaders(origin));
}

/** CORS headers of a response to a listed origin. */
function corsHeaders(origin: string): Record<string, string> {
  return { "Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": exposedHeaders };
}

/** CORS headers of a response of the server itself, if a key of any database lists the origin. */
export async function serverCorsHeaders(
  origin: string,
  databases: DatabaseDirectory,
  listed: ListedOrigins,
): Promise<Record<string, string>> {
  const served = [...databases.values()].filter((each) => each !== null);
  const found =
    served.some((database) => listed.isCached(database, origin)) ||
    (await Promise.all(served.map((database) => listed.look(database, origin)))).includes(true);
  return found ? corsHeaders(origin) : {};
}

/** CORS headers of a preflight response. */
function preflightHeaders(origin: string, { corsAllowedHeaders }: HttpSettings): Record<string, string> {
  return {
    "Access-Control-Allow-Origin": origin,
    "Access-Control-Allow-Methods": "GET, POST, PUT, PATCH, DELETE",
    "Access-Control-Allow-Headers": [requestHeaders, ...corsAllowedHeaders].join(", "),
    "Access-Control-Max-Age": "600",
  };
}

/** Answers a preflight if any app key of the database lists the origin. Otherwise throws 305. */
export const answerPreflight: Step = async (exchange, { listedOrigins, settings }) => {
  const origin = exchange.request.headers.origin as string;
  if (!(await listedOrigins.ask(exchange.database, origin))) throw new ServiceError(305);
  await writePreflight(exchange, origin, settings);
};

async function writePreflight(exchange: Exchange, origin: string, settings: HttpSettings): Promise<void> {
  delete exchange.answerHeaders["Allow"];
  Object.assign(exchange.answerHeaders, preflightHeaders(origin, settings));
  await writeSuccess(exchange, { data: {} });
}

/**
 * Lets pages of listed origins read a failure from before the check of the app key. Returns whether it answered the request
 * instead: a preflight of such an origin succeeds, because browsers keep the reason of a refused one from the page. The
 * request that follows meets the reason itself.
 */
export async function admitOrigin(exchange: Exchange, error: unknown, parts: PipelineParts): Promise<boolean> {
  const { request, response } = exchange;
  const { origin } = request.headers;
  if (origin === undefined || exchange.isOriginChecked || response.headersSent || response.destroyed) return false;
  const database = (exchange.database as Database | undefined) ?? addressedDatabase(request, parts);
  if (!database) return false;
  const { status, code } = failureOf(error);
  // A database that is overloaded, limited or down is not asked. During maintenance it works.
  const spares =
    (status === 429 || status >= 500) && (exchange.admission as Admission | undefined)?.maintenance !== true;
  const isListed = spares
    ? parts.listedOrigins.isCached(database, origin)
    : await parts.listedOrigins.look(database, origin);
  if (!isListed) return false;
  if (isPreflight(request) && code !== 699 && code !== 800) {
    await writePreflight(exchange, origin, parts.settings);
    return true;
  }
  Object.assign(exchange.answerHeaders, corsHeaders(origin));
  return false;
}
