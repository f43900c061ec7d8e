import {
  firstCharacters,
  objectNumber,
  type Page,
  type Position,
  type SortKey,
  type ValuePath,
} from "@sallyport/storage";
import { fitsIndexedPrefix } from "../../../query/query-scope.ts";
import { indexedCharacters } from "../index-expression.ts";
import type { PostgresQueryScope } from "./postgres-query-scope.ts";

/** One sort expression. */
export interface OrderColumn {
  /** Its name in a selection. */
  readonly name: string;
  readonly expression: string;
  readonly path: ValuePath;
  readonly descending: boolean;
  /** The index of its key in the query. */
  readonly key: number;
  /** Whether it contains the whole value of the key instead of its prefix. */
  readonly whole: boolean;
}

/** The sort columns: each key, preceded by its prefix if an index can contain that. */
export function orderColumns(sort: readonly SortKey[], o: string, scope: PostgresQueryScope): OrderColumn[] {
  const columns: OrderColumn[] = [];
  for (const [key, { path, descending }] of sort.entries()) {
    const expressions = path.hops.length > 0 ? [joined(path, o, scope)] : scope.leaf(o, path);
    for (const expression of expressions)
      columns.push({
        name: `k${columns.length}`,
        expression,
        path,
        descending,
        key,
        whole: expression === expressions.at(-1),
      });
  }
  return columns;
}

/** The columns in a select list. */
export function keyColumns(columns: readonly OrderColumn[]): string {
  return columns.map(({ expression, name }) => `, ${expression} as ${name}`).join("");
}

/** The order of such a selection. Null sorts first, or last in descending order. */
export function orderTerms(columns: readonly OrderColumn[]): string {
  return [
    ...columns.map(({ name, descending }) => `${name} ${descending ? "desc nulls last" : "asc nulls first"}`),
    "oid",
  ].join(", ");
}

/** The order of such a selection by prefixes of texts. */
export function startTerms(columns: readonly OrderColumn[]): string {
  return orderTerms(columns.filter(({ whole }) => !whole));
}

/** The value after the hops of a path, from joined tables; null if a hop leads nowhere. */
function joined(path: ValuePath, o: string, scope: PostgresQueryScope): string {
  const holder = path.hops.reduce((from, { reference, classes }) => scope.join(from, reference, classes), o);
  return scope.whole(holder, path);
}

/** A part of an ordered list. */
interface OrderPart {
  /** The condition of its rows. */
  readonly condition: string;
  /** The columns that differ within it. */
  readonly columns: readonly OrderColumn[];
}

/** A column and its value at a position. */
interface Place {
  readonly column: OrderColumn;
  /** A parameter; null for a null value. */
  readonly value: string | null;
}

/**
 * The parts of a list, after the position of the page if there is one. If an index contains the first column, nulls are a
 * part of their own: they are one index range in list order. A single scan with the rest would sort them or search the
 * whole index.
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
    // A row comparison starts the index scan at the position instead of at the first row with its value.
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

/** The rows with a null first column and so a null key. The index orders them in one direction. */
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

/** Whether the first column and the id determine a position in ascending order: there is one value, and the column contains it whole. */
function isAscendingValue(columns: readonly OrderColumn[], { values: [value = null] }: Position): boolean {
  const [first] = columns;
  if (value === null || first?.descending !== false || columns.some(({ key }) => key !== first.key)) return false;
  return first.whole || (typeof value === "string" && fitsIndexedPrefix(value, indexedCharacters));
}

function positionId({ id }: Position, { parameters }: PostgresQueryScope): string {
  return parameters.add(objectNumber(id), "bigint");
}

function placesOf(columns: readonly OrderColumn[], { values }: Position, scope: PostgresQueryScope): Place[] {
  return columns.map((column) => {
    const value = values[column.key] ?? null;
    const part = column.whole || typeof value !== "string" ? value : firstCharacters(value, indexedCharacters);
    return { column, value: part === null ? null : scope.operand(column.path.type, part) };
  });
}

/** A condition that an object comes after a position: by the first differing column, or by its number. */
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
