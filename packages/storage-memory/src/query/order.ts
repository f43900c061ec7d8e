import { objectNumber, type Position, type Scalar, type SortKey, type StoredObject } from "@sallyport/core";
import { compareValues } from "./compare-values.ts";
import { valueAt, type View } from "./value-at.ts";

/** Where the object stands in the order of these keys. */
export function positionOf(object: StoredObject, sort: readonly SortKey[], view: View): Position {
  return { values: sort.map(({ path }) => (valueAt(object, path, view) ?? null) as Scalar | null), id: object.id };
}

/** Which of two positions comes first. */
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
