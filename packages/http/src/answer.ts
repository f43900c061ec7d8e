import { ServiceError } from "@sallyport/core";
import { discardRest } from "./files/discard-rest.ts";
import type { Exchange } from "./pipeline/exchange.ts";
import { SessionWatch } from "./pipeline/session-watch.ts";

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
 * large GET response if the client's network has too many unread bytes. Write results are always sent.
 */
export function writeAnswer(exchange: Exchange, status: number, text: string): void {
  const { request, response, answerHeaders, requestId, connection, channel, origin, sendBufferBytes } = exchange;
  if (response.headersSent) return;
  if (text.length > sliceBytes && request.method === "GET" && sendBufferBytes.isFull(origin.network))
    throw leavesTooMuchUnread();
  if (connection.isEnding) answerHeaders["Connection"] = "close";
  // Node joins a string body with the head and encodes both again. It sends a buffer as is, at half the cost.
  let bytes: Buffer = Buffer.from(text);
  if (channel !== null) {
    const { body, headers: encrypted } = channel.seal(bytes);
    bytes = body;
    Object.assign(answerHeaders, encrypted);
  }
  const headers = {
    ...fixedHeaders,
    "X-Request-Id": requestId,
    "Content-Length": bytes.length,
    ...answerHeaders,
  };
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
