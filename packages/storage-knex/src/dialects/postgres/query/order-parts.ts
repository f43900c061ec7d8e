import { objectNumber, type Page, type Position } from "@sallyport/core";
import { indexedPart, isShort } from "../../../query/indexed-part.ts";
import { indexedCharacters } from "../index-expression.ts";
import { operand } from "./operands.ts";
import type { OrderColumn } from "./order.ts";
import type { PostgresQueryScope } from "./postgres-query-scope.ts";

/** A part of an ordered list. */
export interface OrderPart {
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

function placesOf(columns: readonly OrderColumn[], { values }: Position, { parameters }: PostgresQueryScope): Place[] {
  return columns.map((column) => {
    const value = values[column.key] ?? null;
    const part = column.whole || typeof value !== "string" ? value : indexedPart(value, indexedCharacters);
    return { column, value: part === null ? null : operand(parameters, column.path.type, part) };
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
