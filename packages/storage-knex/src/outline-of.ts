import { type ObjectOutline, objectIdOf } from "@sallyport/core";
import type { OutlineRow } from "./object-row.ts";

export function outlineOf({ oid, uuid, class: className, version, stored_at, bytes }: OutlineRow): ObjectOutline {
  return { id: objectIdOf(Number(oid)), uuid, className, version, storedAt: Number(stored_at), bytes };
}
