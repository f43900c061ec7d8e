import { AnswerTooLargeError, type StoredObject } from "@sallyport/core";
import { objectOf } from "./object-of.ts";
import type { BoundedRow } from "./object-row.ts";

/** The objects of a statement that brings no more than it was told: without their attributes there were more. */
export function objectsWithin(rows: readonly BoundedRow[]): StoredObject[] {
  return rows.map(({ attributes, ...row }) => {
    if (attributes === null) throw new AnswerTooLargeError();
    return objectOf({ ...row, attributes });
  });
}
