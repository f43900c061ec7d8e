import type { IncomingMessage } from "node:http";
import { ServiceError } from "@sallyport/storage";
import type { Exchange, PipelineParts, Step } from "../exchange/exchange.ts";
import { SessionWatch } from "../exchange/session-watch.ts";
import type { Route } from "../route.ts";
import { shedLoad } from "./limit-rate.ts";

/** Maximum size in bytes of a body of an authenticated request, unless the route has another one. */
const defaultLimit = 1024 * 1024;
/** Maximum size in bytes of an anonymous body. A slow sender can occupy this much memory. */
const unauthenticatedLimit = 64 * 1024;

/**
 * Reads the body of a request if it has one. Throws 300 for an empty body where the route requires one. Throws 801 over
 * the limit of the route (measured in base64 for an encrypted body), or over 64 KiB if the route requires no session.
 */
export const readBody: Step = async (exchange, parts) => {
  if (!takesBody(exchange)) return;
  const { route, request, connection } = exchange;
  const max = maxBytes(exchange);
  if (request.complete && !connection.isBodyBroken) {
    exchange.bytes = await readBytes(request, max);
  } else {
    exchange.bytes = await awaitBody(exchange, max, parts);
    // The load may have increased during the wait.
    void shedLoad(exchange, parts);
  }
  if (exchange.bytes.length > 0 && mayBeEmpty(exchange)) requireContentType(exchange);
  if (exchange.bytes.length === 0 && route.needsBody) throw new ServiceError(300);
};

function maxBytes({ access, channel, route }: Exchange): number {
  if (access !== "session") return unauthenticatedLimit;
  const limit = bodyLimitOf(route);
  // In base64, rounded up to a full group.
  return channel === null ? limit : Math.ceil(limit / 3) * 4;
}

/** Maximum size in bytes of the body of an authenticated request. */
export function bodyLimitOf({ body }: Pick<Route, "body">): number {
  return body?.limit ?? defaultLimit;
}

/**
 * Reads an incomplete body. The request does not count as load while it waits, so slow bodies block no other client.
 * Throws 706 if too many bodies are awaited per network or in total, and 699 after the timeout.
 */
async function awaitBody(exchange: Exchange, limit: number, parts: PipelineParts): Promise<Buffer> {
  const { request, response, origin, share, connection } = exchange;
  const { incompleteBodies, settings } = parts;
  // A disconnected client must not take a slot from others, even briefly.
  if (request.destroyed) throw incomplete();
  const waitsForConsent = request.headers.expect !== undefined && request.httpVersionMinor > 0;
  if (waitsForConsent && Number(request.headers["content-length"] ?? 0) > limit) throw tooLarge();
  if (incompleteBodies.isFull(origin.network)) {
    throw new ServiceError(706, { retryAfter: 1, detail: "Too many requests have an incomplete body." });
  }
  const controller = new AbortController();
  const late = setTimeout(() => {
    connection.end();
    controller.abort(incomplete("The body timed out."));
  }, settings.bodyTimeout);
  const watch = new SessionWatch(exchange, { onEnd: (refusal) => controller.abort(refusal) });
  incompleteBodies.take(origin.network);
  share.pause();
  try {
    connection.onBrokenBody((reason) => controller.abort(incomplete(reason)));
    if (waitsForConsent) response.writeContinue();
    const bytes = await readBytes(request, limit, controller.signal);
    // A client can keep back the end of a body until its rights are taken.
    if (exchange.route.administration) await watch.require();
    return bytes;
  } finally {
    clearTimeout(late);
    watch.close();
    incompleteBodies.release(origin.network);
    share.resume();
  }
}

/** Bytes that are read and discarded after the limit, so that the client can read its response. */
const drainedAtMost = 8 * 1024 * 1024;

/** Reads the whole body. Throws 801 over `limit` bytes, 699 on disconnect, and the reason of an abort. */
function readBytes(request: IncomingMessage, limit: number, signal?: AbortSignal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limit) chunks.push(chunk);
      else chunks.length = 0;
      if (length > Math.max(limit, drainedAtMost)) fail(tooLarge());
    };
    const onEnd = () => {
      stop();
      if (length > limit) reject(tooLarge());
      else resolve(oneBuffer(chunks, length));
    };
    const onFailure = () => fail(incomplete());
    const onSignal = () => fail(signal?.reason);
    const fail = (reason: unknown) => {
      stop();
      reject(reason);
    };
    const stop = () => {
      request.off("data", onData).off("end", onEnd).off("error", onFailure).off("close", onFailure);
      signal?.removeEventListener("abort", onSignal);
      if (!request.readableEnded) request.pause();
    };
    request.on("data", onData).on("end", onEnd).on("error", onFailure).on("close", onFailure);
    signal?.addEventListener("abort", onSignal);
    // The events do not fire again for a request that is already destroyed or aborted.
    if (request.destroyed) onFailure();
    else if (signal?.aborted === true) onSignal();
  });
}

function oneBuffer(chunks: Buffer[], length: number): Buffer {
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length);
}

function tooLarge(): ServiceError {
  return new ServiceError(801);
}

function incomplete(detail = "The body is incomplete."): ServiceError {
  return new ServiceError(699, { detail });
}

// No two adjacent parts match blanks. Such a pattern would backtrack in quadratic time.
const json = /^application\/json[\t ]*(?:;[\t ]*charset[\t ]*=[\t ]*"?utf-?8"?[\t ]*)?(?:;[\t ]*)?$/i;

const form = /^application\/x-www-form-urlencoded[\t ]*(?:;[\t ]*charset[\t ]*=[\t ]*"?utf-?8"?[\t ]*)?(?:;[\t ]*)?$/i;

const encrypted = /^application\/text[\t ]*(?:;[\t ]*charset[\t ]*=[\t ]*"?utf-?8"?[\t ]*)?(?:;[\t ]*)?$/i;

/**
 * Throws 207 unless the body is uncompressed UTF-8 JSON, a form that the route accepts, or the text of a secure
 * session. An optional chunked body may be empty, so its type is checked after reading.
 */
export const checkContentType: Step = (exchange) => {
  if (takesBody(exchange) && !mayBeEmpty(exchange)) requireContentType(exchange);
};

/** Throws 207 unless the content type and encoding are acceptable. */
function requireContentType(exchange: Exchange): void {
  const { headers } = exchange.request;
  if (!acceptedContentType(exchange)?.test(headers["content-type"] ?? "")) throw new ServiceError(207);
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding.toLowerCase() !== "identity")
    throw new ServiceError(207, { detail: "Compressed bodies are not supported." });
}

/** Pattern of the accepted content type. `undefined` if this path accepts no body although the route does. */
function acceptedContentType({ channel, route, matched }: Exchange): RegExp | undefined {
  if (channel !== null) return encrypted;
  if (route.body?.form === undefined) return json;
  const accepts = ([name, values]: readonly [string, readonly string[]]) =>
    values.includes((matched?.parameters.get(name) ?? "").toLowerCase());
  return Object.entries(route.body.only).every(accepts) ? form : undefined;
}

/**
 * Whether to read the body: the route requires one, or the request has one that the route accepts. In a secure session
 * every body is read, because its content is encrypted. A route that reads the body as a stream does so itself.
 */
function takesBody({ route, channel, request: { headers } }: Exchange): boolean {
  if (route.body?.stream !== undefined) return false;
  if (route.needsBody) return true;
  const hasContent = headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
  return hasContent && (route.body !== undefined || channel !== null);
}

/** Whether the body may be empty. An empty body needs no content type. */
function mayBeEmpty({ route, request: { headers } }: Exchange): boolean {
  return !route.needsBody && headers["transfer-encoding"] !== undefined;
}
