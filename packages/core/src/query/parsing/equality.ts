import type { JsonValue } from "../../objects/stored-object.ts";
import type { Filter } from "../filter.ts";
import type { ValuePath } from "../value-path.ts";
import { always, never } from "./constant-filters.ts";
import { fault, type Place } from "./fault.ts";
import { operandOf } from "./operand.ts";
import { timeSpan } from "./time-operand.ts";

/** Elements of one `$in` or `$nin`. */
const mostElements = 1_000;

/** The value is this one, which may be null. */
export function equals(path: ValuePath | null, operand: JsonValue, place: Place): Filter {
  if (operand === null) return isEmpty(path);
  return path === null ? never : isOneOf(path, [{ value: operand, place }]);
}

/** The value is one of these, which may be null. */
export function isIn(path: ValuePath | null, operand: JsonValue, place: Place): Filter {
  if (!Array.isArray(operand)) throw fault(place, "An array is expected.");
  if (operand.length > mostElements) throw fault(place, `There are more than ${mostElements} elements.`);
  const elements = operand.map((value: JsonValue, index) => ({ value, place: [...place, index] }));
  const values = elements.filter(({ value }) => value !== null);
  const filter = path === null ? never : isOneOf(path, values);
  return values.length === elements.length ? filter : { kind: "any", filters: [filter, isEmpty(path)] };
}

function isEmpty(path: ValuePath | null): Filter {
  return path === null ? always : { kind: "empty", path };
}

function isOneOf(path: ValuePath, elements: readonly { readonly value: JsonValue; readonly place: Place }[]): Filter {
  const { type } = path;
  if (type === "collection") {
    const [first] = elements;
    if (first === undefined) return never;
    throw fault(first.place, "A collection can be compared with null only; $contains asks for a member.");
  }
  if (type === "time")
    return { kind: "any", filters: elements.map(({ value, place }) => isWithin(path, value, place)) };
  return { kind: "oneOf", path, values: elements.map(({ value, place }) => operandOf(type, value, place)) };
}

function isWithin(path: ValuePath, value: JsonValue, place: Place): Filter {
  const { from, to } = timeOperand(value, place);
  const start: Filter = { kind: "compare", path, operator: "gte", value: from };
  return { kind: "all", filters: [start, { kind: "compare", path, operator: "lt", value: to }] };
}

/** An operand of `~StoreTime`. */
export function timeOperand(value: JsonValue, place: Place) {
  const span = typeof value === "string" ? timeSpan(value) : null;
  if (span === null) throw fault(place, "A time like 20260131T093000+00:00 or 2026-01-31T09:30:00Z is expected.");
  return span;
}
