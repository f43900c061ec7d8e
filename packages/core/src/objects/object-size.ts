import { ServiceError } from "../errors/service-error.ts";
import { jsonBytes } from "./json-bytes.ts";
import type { Attributes } from "./stored-object.ts";

/** Bytes that the attributes of an object take at most, as JSON text the way a database writes it, see `jsonBytes`. */
export const maximumObjectBytes = 1_048_576;

/** Refuses attributes that are too large for one object, where storage does not measure what it stores: 801. */
export function acceptObjectSize(attributes: Attributes): void {
  if (jsonBytes(attributes) > maximumObjectBytes) throw objectTooLarge();
}

export function objectTooLarge(cause?: unknown): ServiceError {
  return new ServiceError(801, {
    detail: `The attributes of an object take at most ${maximumObjectBytes} bytes.`,
    ...(cause === undefined ? {} : { cause }),
  });
}
