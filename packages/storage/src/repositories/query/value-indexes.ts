import { objectNumber } from "../../entities/object-id.ts";
import {
  type Filter,
  firstCharacters,
  literalPrefix,
  type ObjectQuery,
  type Position,
  type SortKey,
  type ValuePath,
} from "../../entities/object-query.ts";
import type { JsonValue, StoredObject } from "../../entities/stored-object.ts";
import { type KeyPart, textsFrom } from "../../kernel/keys.ts";
import type { RowReader, Rows, Span } from "../../kernel/rows.ts";
import { indexTable, objectTable, type ValueRow, valueTable } from "../tables.ts";

/** Characters of a text by which it is found. Longer texts are compared when they are read. */
const indexedCharacters = 512;

/** The place of a value: missing ones and null first. Values of one attribute have one type. */
function placeOf(value: JsonValue | undefined): Pick<ValueRow, "rank" | "value"> {
  if (typeof value === "string") return { rank: 1, value: firstCharacters(value, indexedCharacters) };
  if (typeof value === "number" || typeof value === "boolean") return { rank: 1, value: Number(value) };
  return { rank: 0, value: "" };
}

/** The row of an object in the index of an attribute. */
export function valueRow({ id, className, attributes }: StoredObject, attribute: string): ValueRow {
  const value = Object.hasOwn(attributes, attribute) ? attributes[attribute] : undefined;
  return { className, attribute, ...placeOf(value), id };
}

/** A write of an object: `null` for none before, or none after. */
export interface ObjectWrite {
  readonly before: StoredObject | null;
  readonly after: StoredObject | null;
}

/** Keeps the values of written objects in the indexes of their classes. */
export async function keepValues(rows: Rows, writes: readonly ObjectWrite[]): Promise<void> {
  if (!rows.storage.valueIndexes) return;
  const names = new Map<string, readonly string[]>();
  const [gone, come]: [ValueRow[], ValueRow[]] = [[], []];
  for (const { before, after } of writes) {
    const className = (after ?? before)?.className ?? "";
    const attributes = names.get(className) ?? (await indexedAttributes(rows, className));
    names.set(className, attributes);
    for (const attribute of attributes) {
      const [old, own] = [before && valueRow(before, attribute), after && valueRow(after, attribute)];
      if (old?.rank === own?.rank && old?.value === own?.value) continue;
      if (old !== null) gone.push(old);
      if (own !== null) come.push(own);
    }
  }
  await rows.delete(valueTable, ...gone.map(valueTable.key));
  await rows.put(valueTable, ...come);
}

/** The attributes of a class that have an index, or get one. */
async function indexedAttributes(rows: RowReader, className: string): Promise<string[]> {
  const indexes = await rows.list(indexTable, { of: [className] }, Number.POSITIVE_INFINITY);
  return [...new Set(indexes.map(({ attribute }) => attribute))];
}

/** A way to the objects of a class by the values of an attribute. */
export interface AccessPath {
  /** Parts of the index that contain all matching objects. */
  readonly spans: readonly Span[];
  /** Ascending without it. */
  readonly order?: "descending";
  /** Whether the objects come in the order of the first sort key. */
  readonly isSorted: boolean;
  /** Whether that order is the whole one, and begins behind the position of the page. */
  readonly isExact: boolean;
}

/** The best way to the objects of a class that a query can match: by a value, by the order, by a range; `null` for none. */
export async function accessPath(
  rows: RowReader,
  className: string,
  { filter, sort = [] }: ObjectQuery,
  after: Position | null,
): Promise<AccessPath | null> {
  if (!rows.storage.valueIndexes) return null;
  const conditions = filter === undefined ? [] : conditionsOf(filter);
  const [first] = sort;
  const ofValues = conditions.filter(({ isRange }) => !isRange);
  const ofRanges = conditions.filter(({ isRange }) => isRange);
  const byOrder = first === undefined || !isOwn(first.path) ? [] : [{ path: first.path, inOrder: first }];
  for (const candidate of [...ofValues, ...byOrder, ...ofRanges]) {
    const { leaf } = candidate.path;
    if (!(await isReady(rows, className, leaf))) continue;
    const of = [className, leaf];
    if (!("inOrder" in candidate)) {
      const spans = candidate.spans.map((span) => ({ ...span, of: [...of, ...(span.of ?? [])] }));
      return { spans, isSorted: false, isExact: false };
    }
    return pathInOrder(of, candidate.inOrder, sort.length === 1, after);
  }
  return null;
}

function pathInOrder(
  of: readonly KeyPart[],
  { descending }: SortKey,
  isOnly: boolean,
  after: Position | null,
): AccessPath {
  const isExact = isOnly && !descending;
  const order = descending ? ({ order: "descending" } as const) : {};
  if (after === null) return { spans: [{ of }], ...order, isSorted: true, isExact };
  const value = after.values[0] ?? null;
  const { rank, value: beginning } = placeOf(value);
  const isWhole = typeof value !== "string" || beginning === value;
  const start = [rank, beginning];
  if (descending) return { spans: [{ of, through: start }], ...order, isSorted: true, isExact };
  const span = isExact && isWhole ? { of, after: [...start, objectNumber(after.id)] } : { of, from: start };
  return { spans: [span], isSorted: true, isExact: isExact && isWhole };
}

/** Whether the attribute of a class has a complete index. */
async function isReady(rows: RowReader, className: string, attribute: string): Promise<boolean> {
  const indexes = await rows.list(indexTable, { of: [className, attribute] }, Number.POSITIVE_INFINITY);
  return indexes.some((index) => index.isReady);
}

/** A condition that every match satisfies, as parts of the index of its attribute. */
interface Condition {
  readonly path: ValuePath;
  readonly spans: readonly Span[];
  readonly isRange: boolean;
}

function conditionsOf(filter: Filter): Condition[] {
  if (filter.kind === "all") return filter.filters.flatMap(conditionsOf);
  if (!("path" in filter) || !isOwn(filter.path)) return [];
  const { path } = filter;
  switch (filter.kind) {
    case "oneOf": {
      const places = filter.values.map(placeOf).filter(({ rank }) => rank === 1);
      const distinct = [...new Map(places.map((place) => [place.value, place])).values()];
      const spans = distinct.map(({ rank, value }) => ({ of: [rank, value] }));
      return places.length < filter.values.length ? [] : [{ path, spans, isRange: false }];
    }
    case "compare": {
      const { rank, value } = placeOf(filter.value);
      const isUpper = filter.operator === "lt" || filter.operator === "lte";
      const span = isUpper ? { of: [rank], through: [value] } : { of: [rank], from: [value] };
      return [{ path, spans: [span], isRange: true }];
    }
    case "like": {
      const prefix = firstCharacters(literalPrefix(filter.pattern), indexedCharacters);
      return prefix === "" ? [] : [{ path, spans: [{ of: [1], ...textsFrom(prefix) }], isRange: false }];
    }
    default:
      return [];
  }
}

/** Whether a path is an attribute of the queried objects that an index can have. */
function isOwn({ hops, leaf, type }: ValuePath): boolean {
  return hops.length === 0 && !leaf.startsWith("~") && type !== "json" && type !== "collection";
}

/** The objects of an access path, some at a time. */
export async function* objectsOf(
  rows: RowReader,
  { spans, order }: AccessPath,
  atOnce: number,
): AsyncGenerator<StoredObject[]> {
  for (const span of spans) {
    let values: ValueRow[] = [];
    for await (const row of rows.each(valueTable, span, order, atOnce)) {
      if (values.push(row) < atOnce) continue;
      yield await valuesObjects(rows, values);
      values = [];
    }
    yield await valuesObjects(rows, values);
  }
}

/** The objects of values, in their order. */
async function valuesObjects(rows: RowReader, values: readonly ValueRow[]): Promise<StoredObject[]> {
  const objects = await rows.getAll(
    objectTable,
    values.map(({ id }) => [objectNumber(id)]),
  );
  return objects.map(({ object }) => object);
}

/**
 * Whether a page that ends with `last` needs neither this object nor a later one of the path, which must be sorted. An object of
 * another place comes later. Objects of one place come by number: that is the order of the query if nothing else sorts them, and if
 * the index has the whole text.
 */
export function isBehind(
  object: StoredObject,
  last: StoredObject,
  { leaf }: Pick<ValuePath, "leaf">,
  path: AccessPath,
): boolean {
  const [own, place] = [valueRow(object, leaf), valueRow(last, leaf)];
  if (own.rank !== place.rank || own.value !== place.value) return true;
  const text = last.attributes[leaf];
  return path.isExact && (typeof text !== "string" || text === place.value);
}
