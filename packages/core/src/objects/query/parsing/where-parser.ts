import type { Filter, JsonValue, ValuePath, ValueType } from "@sallyport/storage";
import { fault, type Place } from "./fault.ts";
import { compares, equals, isIn, matchesNone, operandOf } from "./operand.ts";
import { type PathSource, resolvePath } from "./resolve-path.ts";

/** Limit for one query. */
const maxConditions = 500;
/** Maximum nesting depth of filters. */
const maxDepth = 20;

/** The parsing of the filters of one query. */
export interface Parsing {
  readonly source: PathSource;
  /** The number of conditions so far. */
  conditions: number;
}

/** Parses a filter. 307 for names unknown to the model, and beyond the limits of a query. */
export function parseWhere(parsing: Parsing, value: unknown, place: Place, depth = 1): Filter {
  const members = membersOf(value);
  if (members === null) throw fault(place, "A filter object is expected.");
  if (depth > maxDepth) throw fault(place, `Filters can be nested at most ${maxDepth} levels deep.`);
  return allOf(members.map(([name, member]) => memberOf(parsing, name, member, [...place, name], depth)));
}

function memberOf(parsing: Parsing, name: string, value: JsonValue, place: Place, depth: number): Filter {
  switch (name) {
    case "$and":
      return { kind: "all", filters: several(parsing, value, place, depth) };
    case "$or":
      return { kind: "any", filters: several(parsing, value, place, depth) };
    case "$not":
      return { kind: "not", filter: parseWhere(parsing, value, place, depth + 1) };
    default:
      return conditionsOf(parsing, name, value, place);
  }
}

function several(parsing: Parsing, value: JsonValue, place: Place, depth: number): Filter[] {
  if (!Array.isArray(value)) throw fault(place, "An array of filters is expected.");
  return value.map((each: JsonValue, index) => parseWhere(parsing, each, [...place, index], depth + 1));
}

/** A plain value means `$eq`. All operators of an operator object must match. */
function conditionsOf(parsing: Parsing, name: string, value: JsonValue, place: Place): Filter {
  if (name.startsWith("$")) throw fault(place, "Unknown operator.");
  const path = resolvePath(name, place, parsing.source);
  const members = operatorsOf(value) ?? [["$eq", value] as const];
  return allOf(
    members.map(([operator, operand]) => {
      const at = value === operand ? place : [...place, operator];
      parsing.conditions += 1;
      if (parsing.conditions > maxConditions) throw fault(at, `At most ${maxConditions} conditions are allowed.`);
      const make = operators.get(operator);
      if (make === undefined) throw fault(at, "Unknown operator.");
      return make(path, operand, at);
    }),
  );
}

export function allOf(filters: readonly Filter[]): Filter {
  const [only] = filters;
  return filters.length === 1 && only !== undefined ? only : { kind: "all", filters };
}

/** `null` for an object that is a plain value. */
function operatorsOf(value: JsonValue): readonly (readonly [string, JsonValue])[] | null {
  const members = membersOf(value);
  return members !== null && members.length > 0 && members.every(([name]) => name.startsWith("$")) ? members : null;
}

function membersOf(value: unknown): readonly (readonly [string, JsonValue])[] | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : null;
}

/** Converts an operand to a filter. With path `null`, every value is missing. */
type Operator = (path: ValuePath | null, operand: JsonValue, place: Place) => Filter;

const operators: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ["$eq", equals],
  ["$ne", (...parts) => ({ kind: "not", filter: equals(...parts) })],
  ["$gt", (...parts) => compares("gt", ...parts)],
  ["$gte", (...parts) => compares("gte", ...parts)],
  ["$lt", (...parts) => compares("lt", ...parts)],
  ["$lte", (...parts) => compares("lte", ...parts)],
  ["$in", isIn],
  ["$nin", (...parts) => ({ kind: "not", filter: isIn(...parts) })],
  ["$like", isLike],
  ["$contains", contains],
  ["$exists", exists],
]);

function exists(path: ValuePath | null, operand: JsonValue, place: Place): Filter {
  if (typeof operand !== "boolean") throw fault(place, "true or false is expected.");
  const filter: Filter = path === null ? matchesNone : { kind: "present", path };
  return operand ? filter : { kind: "not", filter };
}

/** Maximum length of a pattern or a substring. */
const maxTextLength = 1_024;
/** Maximum number of `%` groups in a pattern. Each multiplies the starting points of the remaining match. */
const maxWildcards = 16;

function isLike(path: ValuePath | null, operand: JsonValue, place: Place): Filter {
  if (path === null) return matchesNone;
  if (!isText(path.type)) throw fault(place, "$like requires a string attribute.");
  const pattern = textOf(operand, place);
  if (/^(?:[^\\]|\\[^])*\\$/.test(pattern)) throw fault(place, "The pattern ends with an escape character.");
  if (wildcardsIn(pattern) > maxWildcards)
    throw fault(place, `A pattern can have at most ${maxWildcards} wildcards %.`);
  return { kind: "like", path, pattern };
}

function contains(path: ValuePath | null, operand: JsonValue, place: Place): Filter {
  if (path === null) return matchesNone;
  if (path.type === "collection")
    return { kind: "contains", path, value: operandOf("reference", operand, place) as string };
  if (!isText(path.type)) throw fault(place, "$contains requires a string attribute or a collection.");
  return { kind: "contains", path, value: textOf(operand, place) };
}

function textOf(operand: JsonValue, place: Place): string {
  const text = operandOf("string", operand, place) as string;
  if (text.length > maxTextLength)
    throw fault(place, `The operand can have at most ${maxTextLength.toLocaleString("en")} characters.`);
  return text;
}

function wildcardsIn(pattern: string): number {
  return pattern.replaceAll(/\\[^]/g, "x").match(/%+/g)?.length ?? 0;
}

function isText(type: ValueType): boolean {
  return type === "string" || type === "class";
}
