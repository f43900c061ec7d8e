import { checkJsonLimits } from "@sallyport/contract";
import { ServiceError } from "@sallyport/core";

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
