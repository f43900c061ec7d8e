import { ServiceError } from "./service-error.ts";

/** A body or a parameter that asks for what there is not or cannot be: 307 with the place as a JSON pointer. */
export function faultAt(pointer: string, reason: string): ServiceError {
  return new ServiceError(307, { detail: `at ${pointer}: ${reason}` });
}
