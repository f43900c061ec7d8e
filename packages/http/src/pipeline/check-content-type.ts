import { ServiceError } from "@sallyport/core";
import type { Exchange } from "./exchange.ts";
import type { Step } from "./step.ts";
import { mayBeEmpty, takesBody } from "./takes-body.ts";

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
export function requireContentType(exchange: Exchange): void {
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
