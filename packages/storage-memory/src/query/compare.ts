import {
  type JsonValue,
  objectNumber,
  type Position,
  type Scalar,
  type SortKey,
  type StoredObject,
  type ValueType,
} from "@sallyport/storage";
import { valueAt, type View } from "./value-at.ts";

/** Compares two non-null values of this type. */
export function compareValues(type: ValueType, one: unknown, other: unknown): number {
  if (type === "id") return objectNumber(String(one)) - objectNumber(String(other));
  if (typeof one === "string" && typeof other === "string") return compareText(one, other);
  return Number(one) - Number(other);
}

/** Compares two texts by code points, like their UTF-8 bytes. UTF-16 order differs beyond the BMP. */
export function compareText(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index += 1) {
    const [a, b] = [one.charCodeAt(index), other.charCodeAt(index)];
    if (a !== b) return rank(a) - rank(b);
  }
  return one.length - other.length;
}

/** Surrogates represent code points above all others. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
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
