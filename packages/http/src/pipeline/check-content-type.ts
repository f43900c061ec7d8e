import { ServiceError } from "@sallyport/core";
import type { Step } from "./step.ts";

// No two parts in a row that both take blanks: such a pattern takes quadratic time to fail.
const json = /^application\/json[\t ]*(?:;[\t ]*charset[\t ]*=[\t ]*"?utf-?8"?[\t ]*)?(?:;[\t ]*)?$/i;

/** 207 unless a route that needs a body is told that it is JSON in UTF-8, without compression. */
export const checkContentType: Step = ({ route, request: { headers } }) => {
  if (route.body === undefined) return;
  if (!json.test(headers["content-type"] ?? "")) throw new ServiceError(207);
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding.toLowerCase() !== "identity") throw new ServiceError(207, { detail: "Compressed bodies are not taken." });
};
