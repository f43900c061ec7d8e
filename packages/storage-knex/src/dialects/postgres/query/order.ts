import { objectIdOf, type Position, type Scalar, type SortKey, type ValuePath } from "@sallyport/core";
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

/** The position of a row that was ordered, from the values of its keys. */
export function positionFrom(sort: readonly SortKey[], values: readonly (Scalar | null)[], oid: string): Position {
  const scalars = sort.map(({ path }, key) => {
    const value = values[key] ?? null;
    return path.type === "id" && value !== null ? objectIdOf(Number(value)) : value;
  });
  return { values: scalars, id: objectIdOf(Number(oid)) };
}

/** The value behind the hops of a path, of joined tables; null when they lead nowhere. */
function joined(path: ValuePath, o: string, scope: PostgresQueryScope): string {
  const holder = path.hops.reduce((from, { reference, classes }) => scope.join(from, reference, classes), o);
  return scope.whole(holder, path);
}
