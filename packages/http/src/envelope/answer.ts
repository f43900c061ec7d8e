import type { Exchange } from "../pipeline/exchange.ts";

/** Headers of every answer in an envelope. Answers are nobody's to keep, to guess the type of or to frame. */
export const fixedHeaders = {
  "Content-Type": "application/json; charset=utf-8",
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

/** Writes an envelope; the only place that does, but for what is refused unparsed. */
export function writeAnswer({ response, answerHeaders, requestId, connection }: Exchange, status: number, text: string): void {
  if (response.headersSent) return;
  if (connection.isEnding) answerHeaders["Connection"] = "close";
  // Node joins a text to the head and encodes both anew; bytes it passes on as they are, at half the cost.
  const bytes = Buffer.from(text);
  const headers = {
    ...fixedHeaders,
    "X-Request-Id": requestId,
    "Content-Length": bytes.length,
    ...answerHeaders,
  };
  response.writeHead(status, headers).end(bytes);
}
