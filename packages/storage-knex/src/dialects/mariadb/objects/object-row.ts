import {
  AnswerTooLargeError,
  type Attributes,
  isObjectId,
  type ObjectId,
  objectIdOf,
  objectNumber,
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

/** The columns of an `ObjectRow`, of the table under this name. */
export function objectColumns(o: string, storedAt = "stored_at"): string {
  return `${o}.oid, ${o}.uuid, ${o}.class, ${o}.version, ${o}.${storedAt} as stored_at, ${o}.readers, ${o}.attributes`;
}

/** The same, but the attributes are null in every row if those of all rows together take more bytes than that, see `objectsWithin`. */
export function boundedColumns(o: string, bytes: number): string {
  const whole = `sum(${o}.bytes) over () <= ${bytes}`;
  return `${o}.oid, ${o}.uuid, ${o}.class, ${o}.version, ${o}.stored_at, ${o}.readers, case when ${whole} then ${o}.attributes end as attributes`;
}

/** The columns of an `OutlineRow`. */
export function outlineColumns(o: string): string {
  return `${o}.oid, ${o}.uuid, ${o}.class, ${o}.version, ${o}.stored_at, ${o}.bytes`;
}

/** The numbers of the ids that can exist, ascending, each once. */
export function objectNumbers(ids: Iterable<ObjectId>): number[] {
  const numbers = new Set<number>();
  for (const id of ids) if (isObjectId(id)) numbers.add(objectNumber(id));
  return [...numbers].toSorted((one, other) => one - other);
}

/** A condition that a number is one of these. They stand in the text, because the optimizer plans for them. */
export function isAmongNumbers(expression: string, numbers: readonly number[]): string {
  return numbers.length === 0 ? "false" : `${expression} in (${numbers.join(",")})`;
}
