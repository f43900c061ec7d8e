import type { Filter, ObjectQuery, Page, PageUse, ValuePath, Visibility } from "@sallyport/storage";
import { condition } from "../../../query/condition.ts";
import type { ComposedText } from "../../../query/query-scope.ts";
import { indexedCharacters } from "../index-expression.ts";
import { cutColumns, cutTexts, measuredColumns, outlineColumns, pageOf } from "../statements/object-statements.ts";
import type { Tables } from "../tables.ts";
import { keyColumns, type OrderColumn, orderColumns, orderParts, orderTerms, startTerms } from "./order.ts";
import { PostgresQueryScope, QueryParameters } from "./postgres-query-scope.ts";

/** Maximum number of classes that are queried separately with their own indexes. */
const maxSeparateClasses = 8;
/** Maximum length of a repeated condition, in characters. */
const maxRepeatedLength = 5_000;

/** Maximum number of skipped objects for which whole rows are read. */
export const maxNearOffset = 1_000;

/**
 * A page of the matching objects, as `PageRow`s with the `keys` by which the page is sorted, an array as text, and the `count`.
 * The page is cut from ids and keys alone; whole rows are read only for the page. Without a sort and with a small offset,
 * the rows are read at once.
 */
export function findText(
  tables: Tables,
  query: ObjectQuery,
  visibility: Visibility,
  page: Page,
  bytes: number,
  { countTo, cut }: Pick<PageUse, "countTo" | "cut"> = {},
): ComposedText {
  const scope = new PostgresQueryScope(tables, new QueryParameters(), visibility);
  const { parameters } = scope;
  const columns = orderColumns(query.sort ?? [], "o", scope);
  const keyNames = columns.flatMap(({ whole, name }) => (whole ? `o.${name}` : [])).join(", ");
  const count = countTo === undefined ? "null" : untoldCount(query, scope, page, countTo);
  const keys = keyNames === "" ? "null" : `jsonb_build_array(${keyNames})::text`;
  const form = [parameters.add(bytes, "bigint"), `, ${keys} as keys, ${count} as count`] as const;
  const wholeColumns = cut === undefined ? measuredColumns("o") : cutColumns("o");
  const shortened =
    cut === undefined ? "" : cutTexts("o", parameters.add(cut.characters, "int"), parameters.add(cut.texts, "text[]"));
  const ordered = (order: string) => `order by ${order} limit ${parameters.add(page.limit, "bigint")}`;
  if (columns.length === 0 && ("after" in page || page.offset <= maxNearOffset)) {
    const part = partText(query, columns, scope, page, "o.*");
    const text = pageOf(`select ${wholeColumns} from (${part}) o ${shortened} ${ordered("o.oid")}`, ...form);
    return { text, values: parameters.values };
  }
  const part = partText(query, columns, scope, page, `o.oid${keyColumns(columns)}`);
  const names = columns.map(({ name }) => `, page.${name}`).join("");
  const whole = `select ${wholeColumns}${names}
      from (select *, row_number() over () as place from (${part}) part) page
      join ${tables.objects} o on o.oid = page.oid ${shortened} ${ordered("page.place")}`;
  return { text: pageOf(whole, ...form), values: parameters.values };
}

/** The number of matching objects, up to a limit; null, without counting, if the length of the page tells it. An empty page has none. */
function untoldCount(query: ObjectQuery, scope: PostgresQueryScope, page: Page, countTo: number): string {
  const count = `(select count(*) ${countedFrom(query, scope, countTo)})`;
  if ("after" in page) return count;
  return `case when o.page_objects = ${scope.parameters.add(page.limit, "bigint")} then ${count} end`;
}

/** The first matching objects by number, as outline rows. */
export function matchText(tables: Tables, query: ObjectQuery, visibility: Visibility, atMost: number): ComposedText {
  const scope = new PostgresQueryScope(tables, new QueryParameters(), visibility);
  const text = partText(
    query,
    [],
    scope,
    { offset: 0, limit: atMost },
    "o.oid, o.uuid, o.class, o.version, o.stored_at, o.bytes",
  );
  return { text: `select ${outlineColumns("o")} from (${text}) o order by o.oid`, values: scope.parameters.values };
}

/** The number of matching objects, as `count`. */
export function countText(
  tables: Tables,
  query: ObjectQuery,
  visibility: Visibility,
  atMost: number | undefined,
): ComposedText {
  const scope = new PostgresQueryScope(tables, new QueryParameters(), visibility);
  return { text: `select count(*) as count ${countedFrom(query, scope, atMost)}`, values: scope.parameters.values };
}

function countedFrom(query: ObjectQuery, scope: PostgresQueryScope, atMost: number | undefined): string {
  const fromClause = `from ${scope.tables.objects} o where ${conditionOf(query, scope)}`;
  return atMost === undefined
    ? fromClause
    : `from (select ${fromClause} limit ${scope.parameters.add(atMost, "bigint")}) counted`;
}

/**
 * A page with the selected columns. An index distinguishes texts by their prefixes only. Its order is exact if no
 * prefix on the page is cut off. To sort by whole texts, the database would read all objects with the same prefix as
 * those on the page.
 */
function partText(
  query: ObjectQuery,
  columns: readonly OrderColumn[],
  scope: PostgresQueryScope,
  page: Page,
  selected: string,
): string {
  const exact = mergedText(query, columns, scope, page, selected, orderTerms);
  const [start, whole, ...others] = columns;
  const isByStarts =
    start?.whole === false &&
    start.path.indexed === true &&
    !start.descending &&
    whole?.key === start.key &&
    others.length === 0;
  if (!isByStarts || exact.length > maxRepeatedLength) return exact;
  const quick = mergedText(query, columns, scope, page, selected, startTerms);
  const isTruncated = `(select bool_or(length(${start.name}) = ${indexedCharacters}) from quick) is true`;
  return `with quick as materialized (${quick})
    select * from (select * from quick where not ${isTruncated} union all select * from (${exact}) exact where ${isTruncated}) page order by ${orderTerms(columns)}`;
}

/**
 * Merges the first rows of each part if one index scan cannot serve the whole order: several classes, or null beside
 * other values.
 */
function mergedText(
  query: ObjectQuery,
  columns: readonly OrderColumn[],
  scope: PostgresQueryScope,
  page: Page,
  selected: string,
  terms: typeof orderTerms,
): string {
  const { parameters, tables } = scope;
  const apart =
    columns[0]?.path.indexed === true && query.classes.length <= maxSeparateClasses
      ? query.classes.map((name) => [name])
      : [query.classes];
  const orderedParts = orderParts(columns, page, "o", scope);
  const lead = columns.length === 0 ? emptyColumn(query.filter, "o", scope) : "";
  const texts = apart.flatMap((classes) => {
    const means = conditionOf({ ...query, classes }, scope);
    return orderedParts.map((part) => {
      const order = `order by ${lead}${terms(part.columns)}`;
      return `select ${selected} from ${tables.objects} o${scope.joins} where ${means} and ${part.condition} ${order}`;
    });
  });
  const limit = parameters.add(page.limit, "bigint");
  const offset = "offset" in page ? parameters.add(page.offset, "bigint") : "0";
  if (texts.length === 1) return `${texts.join("")} offset ${offset} limit ${limit}`;
  const parts = texts.map((text) => `(${text} limit ${offset} + ${limit})`).join(" union all ");
  return `select * from (${parts}) parts order by ${terms(columns)} offset ${offset} limit ${limit}`;
}

/** The condition that an object matches a query, repeated per class if few: an index covers one class. */
function conditionOf({ classes, filter }: ObjectQuery, scope: PostgresQueryScope): string {
  const visible = scope.readable("o");
  if (filter === undefined) return `${scope.isOf("o", classes)} and ${visible}`;
  const fits = condition(filter, "o", scope);
  if (classes.length === 1 || classes.length > maxSeparateClasses || fits.length > maxRepeatedLength)
    return `${scope.isOf("o", classes)} and ${visible} and ${fits}`;
  return `${visible} and (${classes.map((name) => `(${scope.isOf("o", [name])} and ${fits})`).join(" or ")})`;
}

/**
 * An extra first sort column that the filter makes null in all matching rows: the index that serves the filter then
 * also gives the order by number. Otherwise the database would scan all objects by number, because it overestimates the
 * number of nulls.
 */
function emptyColumn(filter: Filter | undefined, o: string, scope: PostgresQueryScope): string {
  const path = filter === undefined ? undefined : emptyPath(filter);
  return path === undefined ? "" : `${scope.leaf(o, path)[0]} nulls first, `;
}

function emptyPath(filter: Filter): ValuePath | undefined {
  if (filter.kind === "all") return filter.filters.flatMap((each) => emptyPath(each) ?? [])[0];
  const { path } = filter.kind === "empty" ? filter : {};
  return path?.indexed === true && path.hops.length === 0 && path.type !== "reference" && path.type !== "file"
    ? path
    : undefined;
}
