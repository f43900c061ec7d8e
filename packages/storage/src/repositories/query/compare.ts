import { objectNumber } from "../../entities/object-id.ts";
import type { Position, Scalar, SortKey, ValueType } from "../../entities/object-query.ts";
import type { JsonValue, StoredObject } from "../../entities/stored-object.ts";
import { compareKeys } from "../../kernel/keys.ts";
import { valueAt, type View } from "./value-at.ts";

/** Compares two non-null values of this type. */
export function compareValues(type: ValueType, one: unknown, other: unknown): number {
  if (type === "id") return objectNumber(String(one)) - objectNumber(String(other));
  if (typeof one === "string" && typeof other === "string") return compareKeys(one, other);
  return Number(one) - Number(other);
}

/** Whether two JSON values are equal, regardless of member order. */
export function sameJson(one: JsonValue, other: JsonValue): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
    return one.every((element: JsonValue, index) => sameJson(element, other[index] as JsonValue));
  }
  const [members, others] = [new Map(Object.entries(one)), new Map(Object.entries(other))];
  if (members.size !== others.size) return false;
  return [...members].every(([name, member]) => others.has(name) && sameJson(member, others.get(name) as JsonValue));
}

export function positionOf(object: StoredObject, sort: readonly SortKey[], view: View): Position {
  return { values: sort.map(({ path }) => (valueAt(object, path, view) ?? null) as Scalar | null), id: object.id };
}

export function comparePositions(one: Position, other: Position, sort: readonly SortKey[]): number {
  for (const [index, { path, descending }] of sort.entries()) {
    const order = compareNullable(path.type, one.values[index] ?? null, other.values[index] ?? null);
    if (order !== 0) return descending ? -order : order;
  }
  return objectNumber(one.id) - objectNumber(other.id);
}

function compareNullable(type: SortKey["path"]["type"], one: Scalar | null, other: Scalar | null): number {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null);
  return compareValues(type, one, other);
}
