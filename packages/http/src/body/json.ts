import { checkJsonLimits, parseExactJson, parseFields } from "@sallyport/contract";
import { ServiceError, strictJsonObject } from "@sallyport/storage";
import type { BodyRule } from "../routes/route.ts";

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Parses JSON from UTF-8 bytes, as `parseExactJson`. Invalid JSON or UTF-8: the given code. `parseBody` checks the limits. */
export function parseJson(bytes: Uint8Array, notJson: 311 | 312): unknown {
  try {
    return parseExactJson(decoder.decode(bytes));
  } catch {
    throw new ServiceError(notJson);
  }
}

/** Parses a JSON object. `undefined` for another value, a duplicate member or exceeded JSON limits. */
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

/** Decodes UTF-8 and keeps a byte order mark. Returns `undefined` for invalid UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return exactDecoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Parses a body by the rule of its route. `undefined` means no body. Throws 307 for a body that the rule rejects, or that
 * exceeds the limits of JSON.
 */
export function parseBody(rule: BodyRule | undefined, given: unknown): unknown {
  if (given !== undefined) (rule?.checkLimits ?? checkJsonLimits)(given);
  const isObject = typeof given === "object" && given !== null && !Array.isArray(given);
  if (given !== undefined && !isObject && rule?.any !== true)
    throw new ServiceError(307, { detail: "The body must be a JSON object." });
  if (rule === undefined) return undefined;
  const { schema, faultOrder } =
    (given === undefined ? undefined : rule.alternative?.(given as Record<string, unknown>)) ?? rule;
  return parseFields(schema, given, faultOrder);
}
