import type { IncomingMessage } from "node:http";
import { formatEncryptedHeader, onlyReads } from "@sallyport/contract";
import { ServiceError } from "@sallyport/storage";
import { acceptedCoding, compressed, compressedFrom } from "./compression.ts";
import { failureText, fixedHeaders, successPieces } from "./envelope.ts";
import { cookieHeader } from "./exchange/credentials.ts";
import type { Exchange } from "./exchange/exchange.ts";
import { SessionWatch } from "./exchange/session-watch.ts";
import { JsonText, type Route, type Success } from "./route.ts";

/**
 * Writes an envelope, encrypted in a secure session. Only responses to unparsed requests bypass it. Throws 706 for a
 * large response to a read if the client's network has too many unread bytes. Write results are always sent.
 */
export function writeAnswer(exchange: Exchange, status: number, pieces: readonly string[]): void {
  const { answerHeaders, channel } = exchange;
  if (exchange.response.headersSent) return;
  if (lengthOf(pieces) > sliceBytes) requireReader(exchange);
  // Node joins a string body with the head and encodes both again. It sends a buffer as is, at half the cost.
  let bytes = bytesOf(pieces);
  if (channel !== null) {
    const { body, headers: encrypted } = channel.seal(bytes);
    bytes = body;
    Object.assign(answerHeaders, encrypted);
  }
  writeBytes(exchange, status, bytes);
}

/**
 * Writes a success; if its route has `compressed`, in a coding that the client accepts. In a secure session it is written
 * as it is: the length of compressed text reveals a part of its content.
 */
export function writeCompressible(exchange: Exchange, status: number, pieces: readonly string[]): void | Promise<void> {
  const { request, answerHeaders, channel } = exchange;
  // A preflight has no route.
  const route = exchange.route as Route | undefined;
  if (channel !== null || route?.compressed !== true) return writeAnswer(exchange, status, pieces);
  answerHeaders["Vary"] = "Origin, Accept-Encoding";
  const length = lengthOf(pieces);
  const coding = length < compressedFrom ? null : acceptedCoding(request.headers["accept-encoding"]?.toString());
  if (coding === null) return writeAnswer(exchange, status, pieces);
  if (length > sliceBytes) requireReader(exchange);
  const write = (bytes: Buffer | null): void => {
    if (bytes === null) return writeAnswer(exchange, status, pieces);
    answerHeaders["Content-Encoding"] = coding;
    const { ETag: tag } = answerHeaders;
    if (tag !== undefined) answerHeaders["ETag"] = codedTag(tag, coding);
    writeBytes(exchange, status, bytes);
  };
  const bytes = compressed(bytesOf(pieces), coding);
  return bytes instanceof Promise ? bytes.then(write) : write(bytes);
}

/** Writes the success of a use case. */
export async function writeSuccess(exchange: Exchange, success: Success): Promise<void> {
  const { version, location, cookie, seal } = success;
  exchange.discardsRest = !exchange.request.complete && isStreamed(exchange);
  if (version !== undefined) exchange.answerHeaders["ETag"] = `"${version}"`;
  if (cookie !== undefined) exchange.answerHeaders["Set-Cookie"] = cookieHeader(cookie);
  if (location !== undefined) exchange.answerHeaders["Location"] = location;
  const envelope = successPieces(success, exchange.hint);
  if (seal === undefined) {
    const status = location === undefined ? 200 : 302;
    const { data } = success;
    return data instanceof JsonText && !data.isCompressible
      ? writeAnswer(exchange, status, envelope)
      : writeCompressible(exchange, status, envelope);
  }
  const sealed = await seal(bytesOf(envelope));
  Object.assign(exchange.answerHeaders, {
    "Content-Type": "text/plain; charset=utf-8",
    Encrypted: formatEncryptedHeader(),
  });
  writeAnswer(exchange, 200, [sealed]);
}

/** The strong entity tag of a representation in a coding, which differs from that of the plain one (RFC 9110). */
export function codedTag(tag: string, coding: string): string {
  return `${tag.slice(0, -1)}-${coding}"`;
}

function lengthOf(pieces: readonly string[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

function bytesOf(pieces: readonly string[]): Buffer {
  const [only = "", ...others] = pieces;
  return others.length === 0 ? Buffer.from(only) : Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
}

/** Throws 706 for a response to a read if the client's network has too many unread bytes. */
function requireReader({ route, origin, sendBufferBytes }: Exchange): void {
  if (onlyReads(route) && sendBufferBytes.isFull(origin.network)) throw leavesTooMuchUnread();
}

function writeBytes(exchange: Exchange, status: number, bytes: Buffer): void {
  const { response, answerHeaders, requestId, connection } = exchange;
  if (connection.isEnding) answerHeaders["Connection"] = "close";
  // No literal that begins with a spread object: V8 makes a hidden class for each of them.
  const own = { "X-Request-Id": requestId, "Content-Length": bytes.length };
  const headers = Object.assign({}, fixedHeaders, own, answerHeaders);
  exchange.answerBytes = bytes.length;
  response.writeHead(status, headers);
  if (exchange.discardsRest) {
    response.write(bytes);
    discardRest(exchange, () => void response.end());
  } else if (bytes.length > sliceBytes) sendSlices(exchange, bytes);
  else response.end(bytes);
}

/** The error for a network with too many unread bytes. */
export function leavesTooMuchUnread(): ServiceError {
  return new ServiceError(706, { retryAfter: 1, detail: "The client has too many bytes of unread responses." });
}

/** Bytes written to the socket before waiting for `drain`. */
const sliceBytes = 256 * 1024;

/** Ends a response with these bytes and respects backpressure. */
function sendSlices(exchange: Exchange, bytes: Buffer): void {
  const { response } = exchange;
  // The answer was decided before, so it is sent in any case.
  const watch = new SessionWatch(exchange, { onEnd: () => {} });
  response.once("close", () => watch.close());
  let sent = 0;
  const send = (): void => {
    while (bytes.length - sent > sliceBytes) {
      const slice = bytes.subarray(sent, sent + sliceBytes);
      sent += sliceBytes;
      if (!response.write(slice)) return;
    }
    response.off("drain", send);
    response.end(bytes.subarray(sent));
  };
  response.on("drain", send);
  send();
}

/** Bytes of a refused body that are read, so that the client can read its answer. More cost more than a new connection. */
const readToTheEnd = 8 * 1024 * 1024;

/** Destroys the connection if the rest of a refused body exceeds `readToTheEnd`. */
function limitRest(request: IncomingMessage): void {
  let length = 0;
  request.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length > readToTheEnd) request.socket.destroy();
  });
}

/** Milliseconds for them. */
const discardTime = 5_000;

/**
 * Reads and discards the rest of a body, then calls back. Destroys the connection if the rest is too long or too slow,
 * because it would be read as the next request.
 */
function discardRest({ request, response, connection }: Exchange, answered: () => void): void {
  let length = 0;
  const destroy = () => {
    answered();
    request.socket.destroySoon();
  };
  const late = setTimeout(destroy, discardTime);
  const end = () => {
    clearTimeout(late);
    answered();
  };
  connection.onBrokenBody(destroy);
  request.on("data", (piece: Buffer) => {
    length += piece.length;
    if (length > readToTheEnd) destroy();
  });
  request.once("end", end);
  response.once("close", () => clearTimeout(late));
  request.resume();
}

/** Whether the body belongs to a route that reads it as a stream. Before the route is known it does not. */
function isStreamed({ route }: { readonly route?: Route }): boolean {
  return route?.body?.stream !== undefined;
}

/** Whether the client waits for 100 (Continue). After another answer it may send the body or the next request. */
function awaitsContinue({ request, stream }: Exchange): boolean {
  return request.headers.expect !== undefined && stream?.hasBegun() !== true;
}

/** Answers a request with a failure. All failures of parsed requests are written here. */
export function writeFailure(exchange: Exchange, failure: ServiceError, debugMessages: boolean): void {
  const { answerHeaders, request, connection } = exchange;
  // Every 503 has a `Retry-After`.
  const retryAfter = failure.retryAfter ?? (failure.status === 503 ? 1 : undefined);
  if (retryAfter !== undefined) answerHeaders["Retry-After"] = String(retryAfter);
  if (failure.restartsSync === true) answerHeaders["Sync-Restart"] = "1";
  if (!exchange.hasBegun) answerHeaders["Not-Executed"] = "1";
  const endless = failure.code === 801 || Number(request.headers["content-length"] ?? 0) > readToTheEnd;
  if (request.complete) {
    // Nothing is left to read.
  } else if (isStreamed(exchange)) {
    exchange.discardsRest = failure.code !== 699 && !awaitsContinue(exchange);
    if (!exchange.discardsRest) connection.end();
  } else if (endless) connection.end();
  else if (!connection.isEnding) limitRest(request);
  writeAnswer(exchange, failure.status, [failureText(failure, debugMessages, exchange.hint)]);
}
