import type { Exchange } from "../pipeline/exchange.ts";

/** Headers of every answer in an envelope. Answers are nobody's to keep, to guess the type of or to frame. */
export const fixedHeaders = {
  "Content-Type": "application/json; charset=utf-8",
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

/**
 * Writes an envelope, encrypted in a secure session; the only place that does, but for what is refused unparsed.
 */
export function writeAnswer(exchange: Exchange, status: number, text: string): void {
  const { response, answerHeaders, requestId, connection, channel } = exchange;
  if (response.headersSent) return;
  if (connection.isEnding) answerHeaders["Connection"] = "close";
  // Node joins a text to the head and encodes both anew; bytes it passes on as they are, at half the cost.
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
  response.writeHead(status, headers).end(bytes);
}
