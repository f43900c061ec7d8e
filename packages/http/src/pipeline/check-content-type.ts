import { ServiceError } from "@sallyport/core";
import { takesBody } from "./takes-body.ts";
import type { Step } from "./step.ts";

// No two parts in a row that both take blanks: such a pattern takes quadratic time to fail.
const json = /^application\/json[\t ]*(?:;[\t ]*charset[\t ]*=[\t ]*"?utf-?8"?[\t ]*)?(?:;[\t ]*)?$/i;

const encrypted = /^application\/text[\t ]*(?:;[\t ]*charset[\t ]*=[\t ]*"?utf-?8"?[\t ]*)?(?:;[\t ]*)?$/i;

/** 207 unless a body is said to be JSON in UTF-8, or the text of a secure session; without compression. */
export const checkContentType: Step = (exchange) => {
  const { channel, request: { headers } } = exchange;
  if (!takesBody(exchange)) return;
  if (!(channel === null ? json : encrypted).test(headers["content-type"] ?? "")) throw new ServiceError(207);
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding.toLowerCase() !== "identity") throw new ServiceError(207, { detail: "Compressed bodies are not taken." });
};
