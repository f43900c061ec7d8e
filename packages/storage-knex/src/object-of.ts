import { objectIdOf, type StoredObject } from "@sallyport/core";
import type { ObjectRow } from "./object-row.ts";

export function objectOf(row: ObjectRow): StoredObject {
  return {
    id: objectIdOf(Number(row.oid)),
    uuid: row.uuid,
    className: row.class,
    storedAt: Number(row.stored_at),
    version: row.version,
    attributes: row.attributes,
    readers: row.readers === null ? null : row.readers.map(objectIdOf),
  };
}
