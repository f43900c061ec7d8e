import { isObjectId, type ObjectId, objectNumber, type StoredObject } from "@sallyport/core";
import { objectOf as objectOfRow, type ObjectRow } from "../../../object-row.ts";
import { attributesOf } from "./stored-attributes.ts";

/** The object of a row, with parsed JSON. */
export function objectOf(row: ObjectRow): StoredObject {
  return objectOfRow({ ...row, attributes: attributesOf(row.attributes) });
}

/** The columns of an `ObjectRow`, under this table alias. */
export function objectColumns(o: string, storedAt = "stored_at"): string {
  return `${o}.oid, ${o}.uuid, ${o}.class, ${o}.version, ${o}.${storedAt} as stored_at, ${o}.readers, ${o}.attributes`;
}

/** Like `objectColumns`, but all attributes are null if they exceed this many bytes in total, see `objectsWithin`. */
export function boundedColumns(o: string, bytes: number): string {
  const whole = `sum(${o}.bytes) over () <= ${bytes}`;
  return `${o}.oid, ${o}.uuid, ${o}.class, ${o}.version, ${o}.stored_at, ${o}.readers, case when ${whole} then ${o}.attributes end as attributes`;
}

/** The columns of an `OutlineRow`. */
export function outlineColumns(o: string): string {
  return `${o}.oid, ${o}.uuid, ${o}.class, ${o}.version, ${o}.stored_at, ${o}.bytes`;
}

/** The numbers of the valid ids, ascending, without duplicates. */
export function objectNumbers(ids: Iterable<ObjectId>): number[] {
  const numbers = new Set<number>();
  for (const id of ids) if (isObjectId(id)) numbers.add(objectNumber(id));
  return [...numbers].toSorted((one, other) => one - other);
}

/** A condition that a number is in a list. The numbers are literals, because the optimizer plans for them. */
export function isAmongNumbers(expression: string, numbers: readonly number[]): string {
  return numbers.length === 0 ? "false" : `${expression} in (${numbers.join(",")})`;
}
