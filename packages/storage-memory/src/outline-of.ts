import type { ObjectOutline, StoredObject } from "@sallyport/core";
import { objectBytes } from "./object-bytes.ts";

export function outlineOf(object: StoredObject): ObjectOutline {
  const { id, uuid, className, version, storedAt } = object;
  return { id, uuid, className, version, storedAt, bytes: objectBytes(object) };
}
