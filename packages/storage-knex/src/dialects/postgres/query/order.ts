import { objectNumber, type Page, type Position, type SortKey, type ValuePath } from "@sallyport/core";
import { indexedPart, isShort } from "../../../query/query-scope.ts";
import { indexedCharacters } from "../index-expression.ts";
import type { PostgresQueryScope } from "./postgres-query-scope.ts";

/** One expression that a list is ordered by. */
export interface OrderColumn {
  /** What it is called in a selection. */
  readonly name: string;
  readonly expression: string;
  readonly path: ValuePath;
  readonly descending: boolean;
  /** Which key of the query it belongs to. */
  readonly key: number;
  /** Whether it holds the value of the key, and not only its start. */
  readonly whole: boolean;
}

/** What a list is ordered by: each key, before it the start of it where an index would hold that. */
export function orderColumns(sort: readonly SortKey[], o: string, scope: PostgresQueryScope): OrderColumn[] {
  const columns = sort.flatMap(({ path, descending }, key) => {
    const column = (expression: string, whole: boolean) => ({ expression, path, descending, key, whole });
    if (path.hops.length > 0) return [column(joined(path, o, scope), true)];
    const [indexed, whole] = scope.leaf(o, path);
    return whole === undefined ? [column(indexed, true)] : [column(indexed, false), column(whole, true)];
  });
  return columns.map((column, index) => ({ ...column, name: `k${index}` }));
}

/** The columns as those of a selection. */
export function keyColumns(columns: readonly OrderColumn[]): string {
  return columns.map(({ expression, name }) => `, ${expression} as ${name}`).join("");
}

/** What such a selection is ordered by. Null comes first, and last where the order is turned round. */
export function orderTerms(columns: readonly OrderColumn[]): string {
  return [
    ...columns.map(({ name, descending }) => `${name} ${descending ? "desc nulls last" : "asc nulls first"}`),
    "oid",
  ].join(", ");
}

/** What it is ordered by as far as the starts of texts tell. */
export function startTerms(columns: readonly OrderColumn[]): string {
  return orderTerms(columns.filter(({ whole }) => !whole));
}

/** The value behind the hops of a path, of joined tables; null when they lead nowhere. */
function joined(path: ValuePath, o: string, scope: PostgresQueryScope): string {
  const holder = path.hops.reduce((from, { reference, classes }) => scope.join(from, reference, classes), o);
  return scope.whole(holder, path);
}

/** A part of an ordered list. */
interface OrderPart {
  /** What is in it. */
  readonly condition: string;
  /** What it is ordered by: the columns that differ in it. */
  readonly columns: readonly OrderColumn[];
}

/** A column and the value that it has at a position. */
interface Place {
  readonly column: OrderColumn;
  /** As a parameter; null for none. */
  readonly value: string | null;
}

/**
 * The parts that a list is put together from, behind the position of the page if it has one. Where an index holds the
 * first column, what has no value is a part of its own: it stands in one place of the index, in the order of the list; in one
 * search with the rest it would be sorted, or looked for in all of the index.
 */
export function orderParts(
  columns: readonly OrderColumn[],
  page: Page,
  o: string,
  scope: PostgresQueryScope,
): readonly OrderPart[] {
  const [first] = columns;
  if (!("after" in page))
    return first?.path.indexed === true && first.path.type === "string"
      ? [withoutValue(columns), withValue(columns)]
      : [{ condition: "true", columns }];
  if (first !== undefined && isAscendingValue(columns, page.after)) {
    // Said like this, the index is entered at the position, and not where its value begins.
    const [place] = placesOf([first], page.after, scope);
    return [
      { condition: `(${first.expression}, ${o}.oid) > (${place?.value}, ${positionId(page.after, scope)})`, columns },
    ];
  }
  const places = placesOf(columns, page.after, scope);
  const later = isBehind(places, page.after, o, scope);
  const [place] = places;
  if (place === undefined) return [{ condition: later, columns }];
  const {
    column: { expression, descending, path },
    value,
  } = place;
  if (value === null) {
    const nothing = { ...withoutValue(columns), condition: `${expression} is null and ${later}` };
    return descending ? [nothing] : [nothing, withValue(columns)];
  }
  if (!descending) return [{ condition: `${expression} >= ${value} and ${later}`, columns }];
  return path.indexed === true
    ? [{ condition: `${expression} <= ${value} and ${later}`, columns }, withoutValue(columns)]
    : [{ condition: later, columns }];
}

/** All that has no value in the first column, and so none of its key. The index holds it in one direction. */
function withoutValue([first, ...rest]: readonly OrderColumn[]): OrderPart {
  const others = rest.filter(({ key }) => key !== first?.key);
  return {
    condition: `${first?.expression} is null`,
    columns: first === undefined ? others : [{ ...first, descending: false }, ...others],
  };
}

function withValue(columns: readonly OrderColumn[]): OrderPart {
  return { condition: `${columns[0]?.expression} is not null`, columns };
}

/** Whether the first column and the id tell all of a position, in the direction of the ids: it has one value, which the column holds. */
function isAscendingValue(columns: readonly OrderColumn[], { values: [value = null] }: Position): boolean {
  const [first] = columns;
  if (value === null || first?.descending !== false || columns.some(({ key }) => key !== first.key)) return false;
  return first.whole || (typeof value === "string" && isShort(value, indexedCharacters));
}

function positionId({ id }: Position, { parameters }: PostgresQueryScope): string {
  return parameters.add(objectNumber(id), "bigint");
}

function placesOf(columns: readonly OrderColumn[], { values }: Position, scope: PostgresQueryScope): Place[] {
  return columns.map((column) => {
    const value = values[column.key] ?? null;
    const part = column.whole || typeof value !== "string" ? value : indexedPart(value, indexedCharacters);
    return { column, value: part === null ? null : scope.operand(column.path.type, part) };
  });
}

/** A condition on the objects behind a position: that they come later by the first column that differs, or by their number. */
function isBehind(places: readonly Place[], position: Position, o: string, scope: PostgresQueryScope): string {
  return places.reduceRight(
    (rest, place) => `(${isLater(place)} or (${isEqual(place)} and ${rest}))`,
    `${o}.oid > ${positionId(position, scope)}`,
  );
}

function isLater({ column: { expression, descending }, value }: Place): string {
  if (value === null) return descending ? "false" : `${expression} is not null`;
  return descending ? `(${expression} < ${value} or ${expression} is null)` : `${expression} > ${value}`;
}

function isEqual({ column: { expression }, value }: Place): string {
  return value === null ? `${expression} is null` : `${expression} = ${value}`;
}
