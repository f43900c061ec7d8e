import { checkJsonLimits, parseFields } from "@sallyport/contract";
import { ServiceError, strictJsonObject } from "@sallyport/core";
import type { BodyRule } from "../routes/route.ts";

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Any JSON value from UTF-8 bytes. Not JSON or not UTF-8: the code given; beyond the limits: 307. */
export function parseJson(bytes: Uint8Array, notJson: 311 | 312): unknown {
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(bytes));
  } catch {
    throw new ServiceError(notJson);
  }
  checkJsonLimits(value);
  return value;
}

/** The object that UTF-8 text stands for; `undefined` if it is none, names a member twice, or is beyond the limits of any JSON. */
export function parseUniqueObject(bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = strictJsonObject(decoder.decode(bytes));
    checkJsonLimits(value);
    return value ?? undefined;
  } catch {
    return undefined;
  }
}

const exactDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text as it was encoded, a byte order mark included; `undefined` for what is not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return exactDecoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** What a body says by the rule of its route, if it has one; `undefined` stands for no body. 307 for what the rule does not take. */
export function parseBody(rule: BodyRule | undefined, given: unknown): unknown {
  const isObject = typeof given === "object" && given !== null && !Array.isArray(given);
  if (given !== undefined && !isObject && rule?.any !== true)
    throw new ServiceError(307, { detail: "The body is not an object." });
  if (rule === undefined) return undefined;
  const { schema, faultOrder } =
    (given === undefined ? undefined : rule.alternative?.(given as Record<string, unknown>)) ?? rule;
  return parseFields(schema, given, faultOrder);
}
