import { isObjectId, type ObjectId, objectNumber, type StoredObject } from "@sallyport/core";
import { objectOf as objectOfRow, type ObjectRow } from "../../../object-row.ts";
import { attributesOf } from "./stored-attributes.ts";

/** An object of a row whose JSON is parsed. */
export function objectOf(row: ObjectRow): StoredObject {
  return objectOfRow({ ...row, attributes: attributesOf(row.attributes) });
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
