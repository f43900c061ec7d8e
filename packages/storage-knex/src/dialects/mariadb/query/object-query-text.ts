import type { ObjectQuery, Page, Visibility } from "@sallyport/storage";
import { condition } from "../../../query/condition.ts";
import type { ComposedText, KeyValue } from "../../../query/query-scope.ts";
import { boundedColumns, outlineColumns } from "../object-row.ts";
import type { Tables } from "../tables.ts";
import { indexedCharacters, type ValueColumns } from "../value-columns.ts";
import { isBehind, keyColumns, keysOf, type OrderColumn, orderColumns, orderTerms } from "./order.ts";
import { MariadbQueryScope, QueryParameters } from "./mariadb-query-scope.ts";

/** The text of a page and its order. */
interface PageText extends ComposedText {
  readonly columns: readonly OrderColumn[];
}

/** The context of a query. */
export interface QuerySource {
  readonly tables: Tables;
  readonly columns: ValueColumns;
  readonly visibility: Visibility;
}

/** A page and its size limit. */
export interface BoundedPage {
  readonly page: Page;
  readonly bytes: number;
  /** The lowest value of the first key on the page, if known; see `floorText`. */
  readonly floor?: KeyValue;
}

/**
 * How texts are sorted: by prefixes, or as a whole if they are longer. By key, the length of the longest text in
 * characters; 0 if the key is not a text.
 */
export type SortPrecision = "prefix" | { readonly longest: readonly number[] };

/**
 * A page of the matching objects, as bounded object rows with the values of their keys. The page is cut from ids and
 * keys alone, which indexes can cover; whole rows are read only for the page.
 */
export function findText(
  source: QuerySource,
  query: ObjectQuery,
  { page, bytes, floor }: BoundedPage,
  precision: SortPrecision,
): PageText {
  const scope = scopeOf(source);
  const columns = orderColumns(query.sort ?? [], "o", scope);
  const long =
    precision === "prefix"
      ? []
      : precision.longest.map((characters) => (characters < indexedCharacters ? 0 : characters));
  const conditions = [...conditionsOf(query, scope), ...onPage(columns, page, scope)];
  if (floor !== undefined) conditions.push(isAbove(columns, floor, scope));
  const limit = `limit ${page.limit} offset ${"offset" in page ? page.offset : 0}`;
  const cut = `select o.oid${keyColumns(columns)} from ${scope.tables.objects} o${scope.joins}
    where ${conditions.join(" and ")} order by ${orderTerms(columns, long, "o")} ${limit}`;
  const text = `select straight_join ${boundedColumns("o", bytes)}${columns.map(({ name }) => `, page.${name}`).join("")}
    from (${cut}) page join ${scope.tables.objects} o on o.oid = page.oid order by ${orderTerms(keysOf(columns, "page"), long, "page")}`;
  return {
    text: withSortKeys(
      long.filter((characters) => characters > 0),
      text,
    ),
    values: scope.parameters.values,
    columns,
  };
}

/**
 * The lowest value of a page in descending order, as `floor`; null if no index contains the first key. A backward index
 * scan does not give ascending numbers for equal values; without the floor, all objects would be sorted for a page.
 */
export function floorText(source: QuerySource, query: ObjectQuery, page: Page): ComposedText | null {
  const scope = scopeOf(source);
  const columns = orderColumns(query.sort ?? [], "o", scope);
  const [first] = columns;
  if (first?.descending !== true || query.classes.length > 1 || !scope.isIndexed(first.path)) return null;
  const conditions = [...conditionsOf(query, scope), ...onPage(columns, page, scope)].join(" and ");
  const place = page.limit - 1 + ("offset" in page ? page.offset : 0);
  const text = `select ${first.indexed} as floor from ${scope.tables.objects} o${scope.joins} where ${conditions} order by ${first.indexed} desc limit 1 offset ${place}`;
  return { text, values: scope.parameters.values };
}

/** The length of the longest text of each key, as the array `longest`; 0 for other keys. */
export function maxTextLength(source: QuerySource, query: ObjectQuery): ComposedText {
  const scope = scopeOf(source);
  const lengths = orderColumns(query.sort ?? [], "o", scope).map(({ path, whole }) =>
    path.type === "string" ? `coalesce(max(char_length(${whole})), 0)` : "0",
  );
  const conditions = conditionsOf(query, scope).join(" and ");
  const text = `select json_array(${lengths.join(", ")}) as longest from ${scope.tables.objects} o${scope.joins} where ${conditions}`;
  return { text, values: scope.parameters.values };
}

/** Sets the sort limits for texts of these lengths. The server gives every row the longest key and needs fifteen rows. */
function withSortKeys(lengths: readonly number[], text: string): string {
  if (lengths.length === 0) return text;
  const length = 4 * Math.max(...lengths) + 1_024;
  return `set statement max_sort_length = ${length}, sort_buffer_size = ${16 * lengths.length * length + 2_097_152} for ${text}`;
}

/** The first matching objects by number, as outline rows. */
export function matchText(source: QuerySource, query: ObjectQuery, atMost: number): ComposedText {
  const scope = scopeOf(source);
  const text = `select ${outlineColumns("o")} from ${scope.tables.objects} o where ${conditionsOf(query, scope).join(" and ")} order by o.oid limit ${atMost}`;
  return { text, values: scope.parameters.values };
}

/** The number of matching objects, as `count`. */
export function countText(source: QuerySource, query: ObjectQuery, atMost: number | undefined): ComposedText {
  const scope = scopeOf(source);
  const fromClause = `from ${scope.tables.objects} o where ${conditionsOf(query, scope).join(" and ")}`;
  const limited = atMost === undefined ? fromClause : `from (select 1 ${fromClause} limit ${atMost}) counted`;
  return { text: `select count(*) as count ${limited}`, values: scope.parameters.values };
}

function scopeOf({ tables, columns, visibility }: QuerySource): MariadbQueryScope {
  return new MariadbQueryScope(tables, new QueryParameters(), visibility, columns);
}

function onPage(columns: readonly OrderColumn[], page: Page, scope: MariadbQueryScope): string[] {
  return "after" in page ? [isBehind(columns, page.after, "o", scope)] : [];
}

function isAbove([first]: readonly OrderColumn[], floor: KeyValue, scope: MariadbQueryScope): string {
  return first === undefined || floor === null
    ? "true"
    : `${first.indexed} >= ${scope.operand(first.path.type, floor)}`;
}

/** Conditions that an object matches a query. */
function conditionsOf({ classes, filter }: ObjectQuery, scope: MariadbQueryScope): string[] {
  const conditions = [scope.isOf("o", classes), scope.readable("o")];
  return filter === undefined ? conditions : [...conditions, condition(filter, "o", scope)];
}
