import { faultAt } from "../../errors/fault-at.ts";
import { jsonPointer } from "../../errors/json-pointer.ts";
import type { ServiceError } from "../../errors/service-error.ts";

/** Where something stands in a request: the names and numbers that lead to it. */
export type Place = readonly PropertyKey[];

/** What is wrong at a place of a query: 307. */
export function fault(place: Place, reason: string): ServiceError {
  return faultAt(jsonPointer(place), reason);
}
