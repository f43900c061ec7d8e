import type { Attributes, JsonValue, StoredObject } from "@sallyport/storage";
import { objectOf, type ObjectRow } from "../../object-row.ts";

/** The object of a row, with parsed JSON. */
export function parsedObjectOf(row: ObjectRow): StoredObject {
  return objectOf({ ...row, attributes: attributesOf(row.attributes) });
}

/** The columns of an `ObjectRow`, under this table alias. */
export function objectColumns(o: string, storedAt = "stored_at"): string {
  return `${o}.oid, ${o}.uuid, ${o}.class, ${o}.version, ${o}.${storedAt} as stored_at, ${o}.readers, ${o}.attributes`;
}

/** Like `objectColumns`, but all attributes are null if they exceed this many bytes in total, see `requireObjects`. */
export function boundedColumns(o: string, bytes: number): string {
  const whole = `sum(${o}.bytes) over () <= ${bytes}`;
  return `${o}.oid, ${o}.uuid, ${o}.class, ${o}.version, ${o}.stored_at, ${o}.readers, case when ${whole} then ${o}.attributes end as attributes`;
}

/** The columns of an `OutlineRow`. */
export function outlineColumns(o: string): string {
  return `${o}.oid, ${o}.uuid, ${o}.class, ${o}.version, ${o}.stored_at, ${o}.bytes`;
}

/** A condition that a number is in a list. The numbers are literals, because the optimizer plans for them. */
export function isAmongNumbers(expression: string, numbers: readonly number[]): string {
  return numbers.length === 0 ? "false" : `${expression} in (${numbers.join(",")})`;
}

/**
 * The stored text of attributes: JSON in which nested values are JSON texts. The database's functions fail on JSON
 * nested 32 levels deep and do not find anything behind it. As texts, equal values are identical, because members are
 * ordered by name.
 */
export function attributesText(attributes: Attributes): string {
  return JSON.stringify(fromEntries(Object.entries(attributes).map(([name, value]) => [name, storedValue(value)])));
}

/** Restores attributes from their stored form. */
export function attributesOf(stored: Attributes): Attributes {
  return fromEntries(
    Object.entries(stored).map(([name, value]) => [name, isRecord(value) ? nestedValue(value) : value]),
  );
}

/** The stored form of a value. */
export function storedValue(value: JsonValue): JsonValue {
  return isNested(value) ? { json: JSON.stringify(ordered(value)) } : value;
}

function nestedValue(stored: JsonValue): JsonValue {
  return JSON.parse((stored as { readonly json: string }).json) as JsonValue;
}

/** Whether the value contains more than scalars. */
function isNested(value: JsonValue): boolean {
  return Array.isArray(value)
    ? value.some((element) => typeof element === "object" && element !== null)
    : isRecord(value);
}

function isRecord(value: JsonValue): value is { readonly [name: string]: JsonValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function ordered(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((element: JsonValue) => ordered(element));
  if (!isRecord(value)) return value;
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return fromEntries(members.map(([name, member]) => [name, ordered(member)]));
}

function fromEntries(entries: readonly (readonly [string, JsonValue])[]): { readonly [name: string]: JsonValue } {
  return Object.fromEntries(entries);
}
