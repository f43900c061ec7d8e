import {
  type Comparison,
  type Filter,
  firstCharacters,
  type Hop,
  isSingleLink,
  type JsonValue,
  literalPrefix,
  type ValuePath,
} from "@sallyport/storage";
import { fitsIndexedPrefix, type QueryScope } from "./query-scope.ts";

/**
 * A filter as a condition on the object `o`. It can be null where the filter is false; `not` becomes `is not true`.
 * This lets indexes serve the conditions.
 */
export function condition(filter: Filter, o: string, scope: QueryScope): string {
  const behind = behindHop(filter);
  if (behind !== null) return throughHop(behind.hop, o, scope, (holder) => condition(behind.filter, holder, scope));
  switch (filter.kind) {
    case "all":
      return joined(filter, " and ", "true", o, scope);
    case "any":
      return joined(filter, " or ", "false", o, scope);
    case "not":
      return `(${condition(filter.filter, o, scope)}) is not true`;
    case "present":
      return filter.path.leaf.startsWith("~") ? "true" : scope.isPresent(o, filter.path.leaf);
    case "empty":
      return isEmpty(filter.path, o, scope);
    case "oneOf":
      return isOneOf(filter.path, filter.values, o, scope);
    case "compare":
      return compares(filter, o, scope);
    case "like":
      return isLike(filter.path, filter.pattern, o, scope);
    case "contains":
      return scope.contains(o, filter.path, filter.value);
  }
}

const operators: Readonly<Record<Comparison, string>> = { gt: ">", gte: ">=", lt: "<", lte: "<=" };

function joined(
  filter: Extract<Filter, { kind: "all" | "any" }>,
  by: string,
  none: string,
  o: string,
  scope: QueryScope,
): string {
  const parts = groupedByHop(filter).map((each) => condition(each, o, scope));
  return parts.length === 0 ? none : `(${parts.join(by)})`;
}

/** A condition on the target of a reference; false without a target. */
function throughHop(hop: Hop, o: string, scope: QueryScope, inside: (holder: string) => string): string {
  const { alias, table, condition: joinCondition } = scope.target(o, hop.reference, hop.classes);
  return `exists (select 1 from ${table} where ${joinCondition} and ${inside(alias)})`;
}

/** The condition on the object behind the hops of a path; false if a hop leads nowhere. */
function through(
  [hop, ...rest]: readonly Hop[],
  o: string,
  scope: QueryScope,
  last: (holder: string) => string,
): string {
  return hop === undefined ? last(o) : throughHop(hop, o, scope, (holder) => through(rest, holder, scope, last));
}

function isEmpty(path: ValuePath, o: string, scope: QueryScope): string {
  if (isSingleLink(path.type)) {
    const hasTarget = (holder: string) => {
      const { table, condition: joinCondition } = scope.target(holder, path.leaf, null);
      return `exists (select 1 from ${table} where ${joinCondition})`;
    };
    return `not ${through(path.hops, o, scope, hasTarget)}`;
  }
  const indexed = (holder: string) => scope.leaf(holder, path)[0];
  if (path.hops.length === 0) return `${indexed(o)} is null`;
  return `not ${through(path.hops, o, scope, (holder) => `${indexed(holder)} is not null`)}`;
}

function isOneOf(path: ValuePath, values: readonly JsonValue[], holder: string, scope: QueryScope): string {
  const { indexedCharacters } = scope;
  const [indexed, whole] = scope.leaf(holder, path);
  if (whole === undefined || values.every((value) => fitsIndexedPrefix(String(value), indexedCharacters)))
    return scope.isAmong(indexed, path.type, values);
  const starts = scope.isAmong(
    indexed,
    path.type,
    values.map((value) => firstCharacters(String(value), indexedCharacters)),
  );
  return `(${starts} and ${scope.isAmong(whole, path.type, values)})`;
}

function compares(
  { path, operator, value }: Extract<Filter, { kind: "compare" }>,
  holder: string,
  scope: QueryScope,
): string {
  const { indexedCharacters } = scope;
  const [indexed, whole] = scope.leaf(holder, path);
  if (whole === undefined || fitsIndexedPrefix(String(value), indexedCharacters))
    return `${indexed} ${operators[operator]} ${scope.operand(path.type, value)}`;
  const bound = operator === "gt" || operator === "gte" ? ">=" : "<=";
  const start = scope.operand(path.type, firstCharacters(String(value), indexedCharacters));
  return `(${indexed} ${bound} ${start} and ${whole} ${operators[operator]} ${scope.operand(path.type, value)})`;
}

function isLike(path: ValuePath, pattern: string, holder: string, scope: QueryScope): string {
  const [indexed, whole] = scope.leaf(holder, path);
  const exact = scope.isLike(whole ?? indexed, pattern);
  const start = literalPrefix(pattern);
  // An indexed prefix narrows the search.
  return whole === undefined || start === "" || [...start].length > scope.indexedCharacters
    ? exact
    : `(${scope.startsWith(indexed, start)} and ${exact})`;
}

/** A filter on the target of one reference. */
interface FilterBehind {
  readonly hop: Hop;
  /** The filter on the target. */
  readonly filter: Filter;
}

/**
 * The filter as one on the target of a reference, if all of it is about that target: then the reference is followed
 * once. A filter that is true without a target does not qualify.
 */
function behindHop(filter: Filter): FilterBehind | null {
  switch (filter.kind) {
    case "all":
    case "any": {
      const parts = filter.filters.map(behindHop);
      const [first] = parts;
      if (
        first === undefined ||
        first === null ||
        !parts.every((part) => part !== null && keyOf(part.hop) === keyOf(first.hop))
      )
        return null;
      return { hop: first.hop, filter: { ...filter, filters: parts.flatMap((part) => part?.filter ?? []) } };
    }
    case "not":
    case "empty":
      return null;
    default: {
      const [hop, ...hops] = filter.path.hops;
      return hop === undefined ? null : { hop, filter: { ...filter, path: { ...filter.path, hops } } };
    }
  }
}

/** The parts of a filter, grouped by their common reference. */
function groupedByHop({ kind, filters }: Extract<Filter, { kind: "all" | "any" }>): Filter[] {
  const groups = new Map<string, Filter[]>();
  for (const [index, filter] of filters.entries()) {
    const behind = behindHop(filter);
    const key = behind === null ? `${index}` : keyOf(behind.hop);
    groups.set(key, [...(groups.get(key) ?? []), filter]);
  }
  return Array.from(groups.values(), (group) =>
    group.length === 1 && group[0] !== undefined ? group[0] : { kind, filters: group },
  );
}

function keyOf({ reference, classes }: Hop): string {
  return JSON.stringify([reference, ...classes]);
}
