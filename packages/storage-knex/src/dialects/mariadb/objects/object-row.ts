import { type Attributes, type ObjectId, objectIdOf, type StoredObject } from "@sallyport/core";
import { attributesOf } from "./stored-attributes.ts";

/** An object as the database answers it, JSON parsed. */
export interface ObjectRow {
  readonly oid: number;
  readonly uuid: string;
  readonly class: string;
  readonly version: number;
  readonly stored_at: number;
  readonly readers: readonly number[] | null;
  readonly attributes: Attributes;
}

export function objectOf(row: ObjectRow): StoredObject {
  return {
    id: objectIdOf(Number(row.oid)),
    uuid: row.uuid,
    className: row.class,
    storedAt: Number(row.stored_at),
    version: Number(row.version),
    attributes: attributesOf(row.attributes),
    readers: readersOf(row),
  };
}

export function readersOf({ readers }: Pick<ObjectRow, "readers">): readonly ObjectId[] | null {
  return readers?.map(objectIdOf) ?? null;
}
