import { checkJsonLimits } from "@sallyport/contract";
import { ServiceError } from "@sallyport/core";

const decoder = new TextDecoder("utf-8", { fatal: true });

/** A JSON object from UTF-8 bytes. Not JSON or not UTF-8: the code given; not an object, or beyond the limits: 307. */
export function parseJsonObject(bytes: Uint8Array, notJson: 311 | 312): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(bytes));
  } catch {
    throw new ServiceError(notJson);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ServiceError(307, { detail: "The body is not an object." });
  }
  checkJsonLimits(value);
  return value as Record<string, unknown>;
}
