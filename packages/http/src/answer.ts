import { onlyReads } from "@sallyport/contract";
import { ServiceError } from "@sallyport/storage";
import { acceptedCoding, compressed, compressedFrom } from "./compression.ts";
import { discardRest } from "./files/discard-rest.ts";
import type { Exchange } from "./pipeline/exchange.ts";
import { SessionWatch } from "./pipeline/session-watch.ts";
import type { Route } from "./routes/route.ts";

/** Headers of every enveloped response. They forbid caching, content sniffing and framing. */
export const fixedHeaders = {
  "Content-Type": "application/json; charset=utf-8",
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

/**
 * Writes an envelope, encrypted in a secure session. Only responses to unparsed requests bypass it. Throws 706 for a
 * large response to a read if the client's network has too many unread bytes. Write results are always sent.
 */
export function writeAnswer(exchange: Exchange, status: number, text: string): void {
  const { answerHeaders, channel } = exchange;
  if (exchange.response.headersSent) return;
  if (text.length > sliceBytes) requireReader(exchange);
  // Node joins a string body with the head and encodes both again. It sends a buffer as is, at half the cost.
  let bytes: Buffer = Buffer.from(text);
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
export function writeCompressible(exchange: Exchange, status: number, text: string): void | Promise<void> {
  const { request, answerHeaders, channel } = exchange;
  // A preflight has no route.
  const route = exchange.route as Route | undefined;
  if (channel !== null || route?.compressed !== true) return writeAnswer(exchange, status, text);
  answerHeaders["Vary"] = "Origin, Accept-Encoding";
  const coding = text.length < compressedFrom ? null : acceptedCoding(request.headers["accept-encoding"]?.toString());
  if (coding === null) return writeAnswer(exchange, status, text);
  if (text.length > sliceBytes) requireReader(exchange);
  const write = (bytes: Buffer | null): void => {
    if (bytes === null) return writeAnswer(exchange, status, text);
    answerHeaders["Content-Encoding"] = coding;
    const { ETag: tag } = answerHeaders;
    if (tag !== undefined) answerHeaders["ETag"] = codedTag(tag, coding);
    writeBytes(exchange, status, bytes);
  };
  const bytes = compressed(Buffer.from(text), coding);
  return bytes instanceof Promise ? bytes.then(write) : write(bytes);
}

/** The strong entity tag of a representation in a coding, which differs from that of the plain one (RFC 9110). */
export function codedTag(tag: string, coding: string): string {
  return `${tag.slice(0, -1)}-${coding}"`;
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
