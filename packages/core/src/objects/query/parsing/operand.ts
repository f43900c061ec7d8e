import {
  type Comparison,
  type Filter,
  isObjectId,
  isSingleLink,
  isUuid,
  type JsonValue,
  type ObjectId,
  type Scalar,
  type ValuePath,
  type ValueType,
} from "@sallyport/storage";
import { dateValue, type PlainRule, plainRule } from "../../attributes/plain-value.ts";
import { targetReference, targetReferenceForms } from "../../attributes/target-reference.ts";
import { readOutlines } from "../../attributes/resolve-links.ts";
import { conditionsOf, fault, type Place } from "./fault.ts";

/** Types with a single operand value. A time matches a range; a collection has member operands only. */
type OperandType = Exclude<ValueType, "time" | "collection">;

/** Links stay ids or UUIDs here. `resolveLinkOperands` looks them up once per query. */
const link: PlainRule = {
  expected: targetReferenceForms,
  accept: (value) => {
    const reference = targetReference(value);
    return reference?.id ?? reference?.uuid ?? undefined;
  },
};

const rules: Readonly<Record<OperandType, PlainRule>> = {
  string: plainRule("string"),
  number: plainRule("number"),
  boolean: plainRule("boolean"),
  date: plainRule("date"),
  json: plainRule("json"),
  reference: link,
  file: link,
  id: { expected: "An id", accept: (value) => (typeof value === "string" && isObjectId(value) ? value : undefined) },
  uuid: {
    expected: "A UUID",
    accept: (value) => (typeof value === "string" && isUuid(value) ? value.toLowerCase() : undefined),
  },
  class: { expected: "A class name", accept: plainRule("string").accept },
};

/** An operand in stored form; 307 for another type. */
export function operandOf(type: OperandType, value: JsonValue, place: Place): JsonValue {
  const { expected, accept } = rules[type];
  const accepted = value === null ? undefined : accept(value);
  if (accepted === undefined) throw fault(place, `${expected} is expected.`);
  return accepted;
}

/** Resolves ids and UUIDs of link operands to ids in one look-up. Invisible targets match nothing. */
export async function resolveLinkOperands(filter: Filter, source: Parameters<typeof readOutlines>[1]): Promise<Filter> {
  const operands = [...new Set(linkOperands(filter))];
  if (operands.length === 0) return filter;
  const [ids, uuids] = [operands.filter(isObjectId), operands.filter((each) => !isObjectId(each))];
  const targets = await readOutlines({ ids, uuids }, source);
  const idByOperand = new Map(targets.flatMap(({ id, uuid }) => [[id, id] as const, [uuid, id] as const]));
  return withLinks(filter, idByOperand);
}

function linkOperands(filter: Filter): readonly string[] {
  const operands: string[] = [];
  for (const condition of conditionsOf(filter)) {
    if (condition.kind === "oneOf" && isSingleLink(condition.path.type))
      operands.push(...condition.values.filter((value) => typeof value === "string"));
    if (condition.kind === "contains" && condition.path.type === "collection") operands.push(condition.value);
  }
  return operands;
}

function withLinks(filter: Filter, idByOperand: ReadonlyMap<JsonValue, ObjectId>): Filter {
  switch (filter.kind) {
    case "all":
    case "any":
      return { ...filter, filters: filter.filters.map((each) => withLinks(each, idByOperand)) };
    case "not":
      return { ...filter, filter: withLinks(filter.filter, idByOperand) };
    case "oneOf":
      return isSingleLink(filter.path.type)
        ? { ...filter, values: [...new Set(filter.values.flatMap((value) => idByOperand.get(value) ?? []))] }
        : filter;
    case "contains": {
      if (filter.path.type !== "collection") return filter;
      const value = idByOperand.get(filter.value);
      return value === undefined ? matchesNone : { ...filter, value };
    }
    default:
      return filter;
  }
}

/** Limit for one `$in` or `$nin`. */
const maxElements = 1_000;

/** The value equals the operand, which may be null. */
export function equals(path: ValuePath | null, operand: JsonValue, place: Place): Filter {
  if (operand === null) return isEmpty(path);
  return path === null ? matchesNone : isOneOf(path, [{ value: operand, place }]);
}

/** The value is in the list, which may contain null. */
export function isIn(path: ValuePath | null, operand: JsonValue, place: Place): Filter {
  if (!Array.isArray(operand)) throw fault(place, "An array is expected.");
  if (operand.length > maxElements) throw fault(place, `At most ${maxElements} elements are allowed.`);
  const elements = operand.map((value: JsonValue, index) => ({ value, place: [...place, index] }));
  const values = elements.filter(({ value }) => value !== null);
  const filter = path === null ? matchesNone : isOneOf(path, values);
  return values.length === elements.length ? filter : { kind: "any", filters: [filter, isEmpty(path)] };
}

function isEmpty(path: ValuePath | null): Filter {
  return path === null ? matchesAll : { kind: "empty", path };
}

function isOneOf(path: ValuePath, elements: readonly { readonly value: JsonValue; readonly place: Place }[]): Filter {
  const { type } = path;
  if (type === "collection") {
    const [first] = elements;
    if (first === undefined) return matchesNone;
    throw fault(first.place, "A collection can only be compared with null. Use $contains to test for a member.");
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

function timeOperand(value: JsonValue, place: Place) {
  const span = typeof value === "string" ? timeSpan(value) : null;
  if (span === null) throw fault(place, "A time such as 20260131T093000+00:00 or 2026-01-31T09:30:00Z is expected.");
  return span;
}

const unordered: ReadonlySet<ValueType> = new Set(["json", "reference", "file", "collection"]);

export function isOrdered(type: ValueType): type is Exclude<ValueType, "json" | "reference" | "file" | "collection"> {
  return !unordered.has(type);
}

export function compares(operator: Comparison, path: ValuePath | null, operand: JsonValue, place: Place): Filter {
  if (path === null) return matchesNone;
  const { type } = path;
  if (!isOrdered(type)) throw fault(place, "Values of this attribute have no order.");
  if (type === "time") return comparesTime(operator, path, operand, place);
  return { kind: "compare", path, operator, value: operandOf(type satisfies OperandType, operand, place) as Scalar };
}

/** `gt` excludes the whole second of the operand, `lte` includes it. */
function comparesTime(operator: Comparison, path: ValuePath, operand: JsonValue, place: Place): Filter {
  const { from, to } = timeOperand(operand, place);
  const value = operator === "gt" || operator === "lte" ? to : from;
  return { kind: "compare", path, operator: operator === "gt" || operator === "gte" ? "gte" : "lt", value };
}

const matchesAll: Filter = { kind: "all", filters: [] };

export const matchesNone: Filter = { kind: "any", filters: [] };

/** Milliseconds from `from` (inclusive) to `to` (exclusive). */
interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

const storeTime = /^(\d{4})(\d{2})(\d{2})(T\d{2})(\d{2})(\d{2}(?:[+-]\d{2}:\d{2}|Z))$/;
const second = 1_000;
const minute = 60 * second;
const day = 24 * 60 * minute;

/** Parses a `~StoreTime` or ISO 8601 text as the range of its precision, usually a second; `null` if invalid. */
function timeSpan(text: string): TimeSpan | null {
  // An unencoded plus sign arrives as a space.
  const iso = text.replace(/ (?=\d{2}:\d{2}$)/, "+").replace(storeTime, "$1-$2-$3$4:$5:$6");
  const canonical = dateValue(iso);
  if (canonical === undefined) return null;
  const from = Date.parse(canonical);
  return { from, to: from + precisionOf(iso) };
}

function precisionOf(iso: string): number {
  if (iso.includes(".")) return 1;
  if (!iso.includes("T")) return day;
  return /T\d{2}:\d{2}:\d{2}/.test(iso) ? second : minute;
}
