import {
  defaultAnswerBytes,
  isUuid,
  objectNumbers,
  type ObjectPage,
  type ObjectQuery,
  type ObjectRepository,
  objectWrites,
  type Page,
  type VisibleRead,
} from "@sallyport/storage";
import { type BoundedRow, requireObjects, outlineOf, type OutlineRow } from "../../../object-row.ts";
import { isFullList, type KeyValue, positionFrom, visibleClasses } from "../../../query/query-scope.ts";
import type { SqlRunner } from "../../../sql-runner.ts";
import {
  type BoundedPage,
  countText,
  findText,
  floorText,
  maxTextLength,
  matchText,
  type QuerySource,
  type SortPrecision,
} from "../query/object-query-text.ts";
import { isUnknownColumn } from "../mariadb-error.ts";
import { isDecided } from "../query/order.ts";
import { ObjectReads } from "./object-reads.ts";
import { parsedObjectOf } from "../object-row.ts";
import { writeObjects } from "./object-writer.ts";
import { type ObjectContext, WriteLock } from "./write-lock.ts";

export function mariadbObjectRepository(
  runner: SqlRunner,
  context: ObjectContext,
): Omit<ObjectRepository, "watermark" | "changes"> {
  const reads = new ObjectReads(runner, context.tables);

  return {
    get(which, visibility, bytes = defaultAnswerBytes) {
      // A request for a single object always succeeds.
      const limit = ("uuids" in which ? which.uuids : which).length === 1 ? Number.POSITIVE_INFINITY : bytes;
      return "uuids" in which
        ? reads.byUuids(
            which.uuids.filter(isUuid).map((uuid) => uuid.toLowerCase()),
            visibility,
            limit,
          )
        : reads.byNumbers(objectNumbers(which), visibility, limit);
    },

    outlines: (ids, visibility) => reads.outlines(objectNumbers(ids), visibility),

    async find(query, visibility, page, bytes = defaultAnswerBytes) {
      const classes = visibleClasses(query.classes, visibility);
      if (classes.length === 0 || page.limit === 0) return { objects: [], last: null };
      if (isFullList(query) && "offset" in page) {
        const objects = await reads.list(classes, visibility, page, bytes);
        const last = objects.at(-1);
        return { objects, last: last === undefined ? null : { values: [], id: last.id } };
      }
      const restricted = { ...query, classes };
      return withValueColumns(async () => {
        const floor = await floorOf(restricted, visibility, page);
        const aboveFloor = floor === null ? null : await sortedPage(restricted, visibility, { page, bytes, floor });
        // Only a full page has a floor. A concurrent write can leave fewer objects above it.
        return aboveFloor?.objects.length === page.limit
          ? aboveFloor
          : sortedPage(restricted, visibility, { page, bytes });
      });
    },

    async match(query, visibility, atMost) {
      const classes = visibleClasses(query.classes, visibility);
      if (classes.length === 0) return [];
      return withValueColumns(async () => {
        const { text, values } = matchText(source(visibility), { ...query, classes }, atMost);
        const { rows } = await runner.reading(visibility).runOnce<OutlineRow>(text, values);
        return rows.map(outlineOf);
      });
    },

    async count(query, visibility, atMost) {
      const classes = visibleClasses(query.classes, visibility);
      if (classes.length === 0) return 0;
      const most = atMost ?? Number.POSITIVE_INFINITY;
      // Unlike for a page, the order of the query does not matter.
      if (query.recycled === true) return Math.min(await reads.countRecycled(classes, visibility), most);
      if (query.filter === undefined) return Math.min(await reads.count(classes, visibility), most);
      return withValueColumns(async () => {
        const { text, values } = countText(source(visibility), { ...query, classes }, atMost);
        const { rows } = await runner.reading(visibility).runOnce<{ count: number }>(text, values);
        return Number(rows[0]?.count);
      });
    },

    /** One writer at a time: the write lock covers all objects. */
    async lock(ids) {
      if (ids.length > 0) await runner.atomically((sql) => WriteLock.take(sql, context));
    },

    ...objectWrites(writeObjects(runner, context)),
  };

  /** The lowest value on a page, if an index provides it. */
  async function floorOf(query: ObjectQuery, visibility: VisibleRead, page: Page): Promise<KeyValue> {
    const composed = floorText(source(visibility), query, page);
    if (composed === null) return null;
    const { rows } = await runner.reading(visibility).runOnce<{ floor: KeyValue }>(composed.text, composed.values);
    return rows[0]?.floor ?? null;
  }

  async function sortedPage(query: ObjectQuery, visibility: VisibleRead, page: BoundedPage): Promise<ObjectPage> {
    return (await pageOf(query, visibility, page, "prefix")) ?? sortedByWholeTexts(query, visibility, page);
  }

  /** A page; null if prefixes do not decide its order. */
  async function pageOf(
    query: ObjectQuery,
    visibility: VisibleRead,
    page: BoundedPage,
    precision: SortPrecision,
  ): Promise<ObjectPage | null> {
    const { text, values, columns } = findText(source(visibility), query, page, precision);
    const { rows } = await runner.reading(visibility).runOnce<BoundedRow & Record<string, KeyValue>>(text, values);
    if (precision === "prefix" && !rows.every((row) => isDecided(columns, row))) return null;
    const last = rows.at(-1);
    return {
      objects: requireObjects(rows, parsedObjectOf),
      last:
        last === undefined
          ? null
          : positionFrom(
              query.sort ?? [],
              columns.map(({ name }) => last[name] ?? null),
              last,
            ),
    };
  }

  /**
   * A page sorted by whole texts. A text that is written between the statements sorts as a whole, too, unless it is at least 256
   * characters longer than all others: sort keys have room for them.
   */
  async function sortedByWholeTexts(
    query: ObjectQuery,
    visibility: VisibleRead,
    page: BoundedPage,
  ): Promise<ObjectPage> {
    const { text, values } = maxTextLength(source(visibility), query);
    const { rows } = await runner.reading(visibility).runOnce<{ longest: string }>(text, values);
    const precision = { longest: JSON.parse(rows[0]?.longest ?? "[]") as number[] };
    // Only prefixes can leave an order undecided.
    return (await pageOf(query, visibility, page, precision)) as ObjectPage;
  }

  /** Queries by indexed columns, and retries once if another process has dropped one. */
  async function withValueColumns<T>(ask: () => Promise<T>): Promise<T> {
    const { columns } = context;
    await columns.load(runner);
    try {
      return await ask();
    } catch (error) {
      if (columns.isEmpty || !isUnknownColumn(error)) throw error;
      columns.invalidate();
      await columns.load(runner);
      return ask();
    }
  }

  function source(visibility: VisibleRead): QuerySource {
    const { tables, columns } = context;
    return { tables, columns, visibility };
  }
}
