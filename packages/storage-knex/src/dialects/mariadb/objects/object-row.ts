import {
  AnswerTooLargeError,
  type Attributes,
  type ObjectId,
  objectIdOf,
  type ObjectOutline,
  type StoredObject,
} from "@sallyport/core";
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

/** The same where a bound holds: the attributes of all rows, or of none. */
export interface BoundedRow extends Omit<ObjectRow, "attributes"> {
  readonly attributes: Attributes | null;
}

/** An outline of an object. */
export interface OutlineRow extends Pick<ObjectRow, "oid" | "uuid" | "class" | "version" | "stored_at"> {
  readonly bytes: number;
}

/** The objects of a statement that brings no more than it was told: without their attributes there were more. */
export function objectsWithin(rows: readonly BoundedRow[]): StoredObject[] {
  return rows.map(({ attributes, ...row }) => {
    if (attributes === null) throw new AnswerTooLargeError();
    return objectOf({ ...row, attributes });
  });
}

export function outlineOf({ oid, uuid, class: className, version, stored_at, bytes }: OutlineRow): ObjectOutline {
  return {
    id: objectIdOf(Number(oid)),
    uuid,
    className,
    version: Number(version),
    storedAt: Number(stored_at),
    bytes: Number(bytes),
  };
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
