import type { IncomingMessage } from "node:http";
import { ServiceError } from "@sallyport/core";
import { leavesTooMuchUnread } from "../answer.ts";
import type { Exchange, PipelineParts, Step } from "../pipeline/exchange.ts";
import { needsBody } from "../routes/route.ts";

/** Bytes of what somebody sends who has logged in. */
export const bodyLimit = 1024 * 1024;
/** The same as base64, which up to two bytes more fit in. */
const encryptedLimit = Math.ceil(bodyLimit / 3) * 4;
/** Bytes of what anybody may send, and keep in memory by sending it slowly. */
const strangersLimit = 64 * 1024;

/**
 * Reads a body that is to be read: 300 without bytes where the route needs one; 801 beyond 1 MiB, which an encrypted
 * body has as base64, or 64 KiB where no session is needed.
 */
export const readBody: Step = async (exchange, parts) => {
  if (!takesBody(exchange)) return;
  const { route, request, connection } = exchange;
  const most = mostBytes(exchange);
  if (request.complete && !connection.isBodyBroken) {
    exchange.bytes = await readBytes(request, most);
  } else {
    exchange.bytes = await awaitBody(exchange, most, parts);
    // While it waited, others may have taken its place.
    void shedLoad(exchange, parts);
  }
  if (exchange.bytes.length > 0 && mayBeEmpty(exchange)) requireContentType(exchange);
  if (exchange.bytes.length === 0 && needsBody(route)) throw new ServiceError(300);
};

function mostBytes({ access, channel }: Exchange): number {
  if (access !== "session") return strangersLimit;
  return channel === null ? bodyLimit : encryptedLimit;
}

/**
 * Reads a body that is still on its way. Meanwhile the request is not in work, so that slow bodies take nobody's
 * place: only so many are awaited, of one network and in all (706), and each for a time only (699).
 */
async function awaitBody(exchange: Exchange, limit: number, parts: PipelineParts): Promise<Buffer> {
  const { request, response, origin, share, connection } = exchange;
  const { incompleteBodies, settings } = parts;
  if (incompleteBodies.isFull(origin.network)) {
    throw new ServiceError(706, { retryAfter: 1, detail: "Too many bodies are awaited." });
  }
  const given = new AbortController();
  const late = setTimeout(() => {
    connection.end();
    given.abort("The body took too long.");
  }, settings.bodyTimeout);
  incompleteBodies.take(origin.network);
  share.pause();
  try {
    connection.onBrokenBody((reason) => given.abort(reason));
    if (request.headers.expect !== undefined && request.httpVersionMinor > 0) response.writeContinue();
    return await readBytes(request, limit, given.signal);
  } finally {
    clearTimeout(late);
    incompleteBodies.giveBack(origin.network);
    share.resume();
  }
}

/** Bytes that are still read and thrown away after the limit, so that the client gets to read its answer. */
const drainedAtMost = 8 * 1024 * 1024;

/** The whole body. More than `limit` bytes: 801; a client that goes away, or a signal, whose reason is a text: 699. */
function readBytes(request: IncomingMessage, limit: number, signal?: AbortSignal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limit) chunks.push(chunk);
      else chunks.length = 0;
      if (length > drainedAtMost) settle(() => reject(tooLarge()));
    };
    const onEnd = () => settle(() => (length > limit ? reject(tooLarge()) : resolve(oneBuffer(chunks, length))));
    const onFailure = () => settle(() => reject(endedEarly()));
    const onSignal = () => settle(() => reject(new ServiceError(699, { detail: String(signal?.reason) })));
    const settle = (outcome: () => void) => {
      request.off("data", onData).off("end", onEnd).off("error", onFailure).off("close", onFailure);
      signal?.removeEventListener("abort", onSignal);
      if (!request.readableEnded) request.pause();
      outcome();
    };
    request.on("data", onData).on("end", onEnd).on("error", onFailure).on("close", onFailure);
    signal?.addEventListener("abort", onSignal);
    // Whoever went away before anybody listened does not do so again.
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

function endedEarly(): ServiceError {
  return new ServiceError(699, { detail: "The body ended early." });
}

// No two parts in a row that both take blanks: such a pattern takes quadratic time to fail.
const json = /^application\/json[\t ]*(?:;[\t ]*charset[\t ]*=[\t ]*"?utf-?8"?[\t ]*)?(?:;[\t ]*)?$/i;

const form = /^application\/x-www-form-urlencoded[\t ]*(?:;[\t ]*charset[\t ]*=[\t ]*"?utf-?8"?[\t ]*)?(?:;[\t ]*)?$/i;

const encrypted = /^application\/text[\t ]*(?:;[\t ]*charset[\t ]*=[\t ]*"?utf-?8"?[\t ]*)?(?:;[\t ]*)?$/i;

/**
 * 207 unless a body is said to be JSON in UTF-8, a form where the route takes that, or the text of a secure session; without compression. Where none is needed,
 * one that comes in chunks may turn out to be empty: it is looked at when it is there.
 */
export const checkContentType: Step = (exchange) => {
  if (takesBody(exchange) && !mayBeEmpty(exchange)) requireContentType(exchange);
};

/** 207 unless the request says what is expected of its body. */
function requireContentType(exchange: Exchange): void {
  const { headers } = exchange.request;
  if (!wanted(exchange)?.test(headers["content-type"] ?? "")) throw new ServiceError(207);
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding.toLowerCase() !== "identity")
    throw new ServiceError(207, { detail: "Compressed bodies are not taken." });
}

/** `undefined` where the path takes no body at all, though others of the route do. */
function wanted({ channel, route, matched }: Exchange): RegExp | undefined {
  if (channel !== null) return encrypted;
  if (route.body?.form === undefined) return json;
  return route.body.form((name) => matched?.parameters.get(name) ?? "") ? form : undefined;
}

/**
 * Whether a body is to be read: where the route needs one, and one that comes where the route can do without or, in a
 * secure session, wherever it comes, because there is nothing in clear text in it.
 */
function takesBody({ route, channel, request: { headers } }: Exchange): boolean {
  if (needsBody(route)) return true;
  const comes = headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
  return comes && (route.body !== undefined || channel !== null);
}

/** Whether a body that is to be read may turn out to be empty, and needs no content type then. */
function mayBeEmpty({ route, request: { headers } }: Exchange): boolean {
  return !needsBody(route) && headers["transfer-encoding"] !== undefined;
}

/** 706 when more requests are in work than the server takes on, or the client's network leaves too much unread. */
export const shedLoad: Step = ({ origin, sendBufferBytes }, { load }) => {
  if (load.isOverloaded) throw new ServiceError(706, { retryAfter: 1 });
  if (sendBufferBytes.isFull(origin.network)) throw leavesTooMuchUnread();
};
