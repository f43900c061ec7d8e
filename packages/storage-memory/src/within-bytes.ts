import { AnswerTooLargeError, type StoredObject } from "@sallyport/core";
import { objectBytes } from "./object-bytes.ts";

/** The objects, if they take no more bytes together. */
export function withinBytes(objects: StoredObject[], bytes: number): StoredObject[] {
  const total = objects.reduce((sum, object) => sum + objectBytes(object), 0);
  if (total > bytes) throw new AnswerTooLargeError();
  return objects;
}
