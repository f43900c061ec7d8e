import { firstCharacters, objectNumber, type Position, type SortKey, type ValuePath } from "@sallyport/storage";
import { fitsIndexedPrefix } from "../../../query/query-scope.ts";
import { indexedCharacters } from "../value-columns.ts";
import type { MariadbQueryScope } from "./mariadb-query-scope.ts";

/** A column that orders a list. */
export interface OrderColumn {
  /** The name of the column in a select list. */
  readonly name: string;
  readonly path: ValuePath;
  readonly descending: boolean;
  /** The indexed part of the value. */
  readonly indexed: string;
  /** The whole value. */
  readonly whole: string;
}

/** @param o alias of the table of the objects */
export function orderColumns(sort: readonly SortKey[], o: string, scope: MariadbQueryScope): OrderColumn[] {
  return sort.map(({ path, descending }, key) => {
    const holder = path.hops.reduce((from, { reference, classes }) => scope.join(from, reference, classes), o);
    const [indexed, whole = indexed] = scope.leaf(holder, path);
    return { name: `k${key}`, path, descending, indexed, whole };
  });
}

/** The columns in a select list. */
export function keyColumns(columns: readonly OrderColumn[]): string {
  return columns.map(({ whole, name }) => `, ${whole} as ${name}`).join("");
}

/** The same columns, as a subquery returns them. */
export function keysOf(columns: readonly OrderColumn[], selection: string): OrderColumn[] {
  return columns.map((column) => {
    const whole = `${selection}.${column.name}`;
    return {
      ...column,
      whole,
      indexed: column.path.type === "string" ? `left(${whole}, ${indexedCharacters})` : whole,
    };
  });
}

/**
 * The terms after `order by`. Null sorts first, or last in descending order. `long`: by key, the length of texts that are
 * compared as a whole; 0 compares prefixes. An index can serve an order by prefixes. `isDecided` tells whether they suffice.
 */
export function orderTerms(columns: readonly OrderColumn[], long: readonly number[], o: string): string {
  const terms = columns.map(
    ({ indexed, whole, descending }, key) => `${(long[key] ?? 0) > 0 ? whole : indexed}${descending ? " desc" : ""}`,
  );
  return [...terms, `${o}.oid`].join(", ");
}

/**
 * Whether prefixes decide the position of a row: texts no longer than a prefix compare as a whole with any other row.
 */
export function isDecided(columns: readonly OrderColumn[], row: Readonly<Record<string, unknown>>): boolean {
  return columns.every(({ name, path }) => {
    const value = row[name];
    return (
      path.type !== "string" ||
      typeof value !== "string" ||
      value.length < indexedCharacters ||
      [...value].length < indexedCharacters
    );
  });
}

/** A condition that an object comes after a position: by the first differing key, or by its number. */
export function isBehind(
  columns: readonly OrderColumn[],
  { values, id }: Position,
  o: string,
  scope: MariadbQueryScope,
): string {
  const [first] = columns;
  const later = columns.reduceRight(
    (rest, column, key) => {
      const place = placeOf(column, values[key] ?? null, scope);
      return `(${place.later} or (${place.equal} and ${rest}))`;
    },
    `${o}.oid > ${scope.parameters.add(objectNumber(id))}`,
  );
  return first === undefined ? later : `${isNotBefore(first, values[0] ?? null, scope)} and ${later}`;
}

/** A condition that all later objects satisfy, so that an index scan can start there. */
function isNotBefore(
  { indexed, descending, path }: OrderColumn,
  value: Position["values"][number],
  scope: MariadbQueryScope,
): string {
  if (value === null) return descending ? `${indexed} is null` : "true";
  const start = scope.operand(
    path.type,
    typeof value === "string" && path.type === "string" ? firstCharacters(value, scope.indexedCharacters) : value,
  );
  return descending ? `(${indexed} <= ${start} or ${indexed} is null)` : `${indexed} >= ${start}`;
}

function placeOf(
  { indexed, whole, descending, path }: OrderColumn,
  value: Position["values"][number],
  scope: MariadbQueryScope,
): { later: string; equal: string } {
  if (value === null) return { later: descending ? "false" : `${indexed} is not null`, equal: `${indexed} is null` };
  const sign = descending ? "<" : ">";
  const orNothing = descending ? ` or ${indexed} is null` : "";
  if (path.type !== "string" || fitsIndexedPrefix(String(value), scope.indexedCharacters)) {
    const operand = scope.operand(path.type, value);
    return { later: `(${indexed} ${sign} ${operand}${orNothing})`, equal: `${indexed} = ${operand}` };
  }
  const [start, operand] = [
    scope.operand(path.type, firstCharacters(String(value), scope.indexedCharacters)),
    scope.operand(path.type, value),
  ];
  return {
    later: `((${indexed} ${sign}= ${start} and ${whole} ${sign} ${operand})${orNothing})`,
    equal: `(${indexed} = ${start} and ${whole} = ${operand})`,
  };
}
