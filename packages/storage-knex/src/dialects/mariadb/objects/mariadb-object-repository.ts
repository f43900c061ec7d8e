import { randomUUID } from "node:crypto";
import {
  acceptChanges,
  acceptObjectSize,
  acceptStorable,
  defaultAnswerBytes,
  isUuid,
  isVisible,
  type ObjectChange,
  type ObjectId,
  objectIdOf,
  type ObjectPage,
  type ObjectQuery,
  type ObjectRepository,
  type Page,
  seesAll,
  ServiceError,
  type StoredObject,
  UuidTakenError,
  type Visibility,
  type Writing,
} from "@sallyport/storage";
import { type BoundedRow, objectsWithin, outlineOf, type OutlineRow } from "../../../object-row.ts";
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
import { FormerReaders } from "./tombstones.ts";
import { ObjectReads } from "./object-reads.ts";
import { objectNumbers, objectOf } from "./object-row.ts";
import { nextVersion, ObjectWrites, withKeptMembers, type WrittenObject } from "./object-writes.ts";
import { type ObjectContext, WriteLock } from "./write-lock.ts";

export function mariadbObjectRepository(runner: SqlRunner, context: ObjectContext): ObjectRepository {
  const readsForAll = new ObjectReads(runner, context.tables);

  return {
    get(which, visibility, bytes = defaultAnswerBytes) {
      const ofAll = ("uuids" in which ? which.uuids : which).length === 1 ? Number.POSITIVE_INFINITY : bytes;
      return "uuids" in which
        ? readsForAll.byUuids(
            which.uuids.filter(isUuid).map((uuid) => uuid.toLowerCase()),
            visibility,
            ofAll,
          )
        : readsForAll.byNumbers(objectNumbers(which), visibility, ofAll);
    },

    outlines: (ids, visibility) => readsForAll.outlines(objectNumbers(ids), visibility),

    async find(query, visibility, page, bytes = defaultAnswerBytes) {
      const classes = visibleClasses(query.classes, visibility);
      if (classes.length === 0 || page.limit === 0) return { objects: [], last: null };
      if (isFullList(query) && "offset" in page) {
        const objects = await readsForAll.list(classes, visibility, page, bytes);
        const last = objects.at(-1);
        return { objects, last: last === undefined ? null : { values: [], id: last.id } };
      }
      const restricted = { ...query, classes };
      return byColumns(async () => {
        const floor = await floorOf(restricted, visibility, page);
        const found = floor === null ? null : await ordered(restricted, visibility, { page, bytes, floor });
        // A concurrent write can leave fewer objects above the floor.
        return found?.objects.length === page.limit ? found : ordered(restricted, visibility, { page, bytes });
      });
    },

    async match(query, visibility, atMost) {
      const classes = visibleClasses(query.classes, visibility);
      if (classes.length === 0) return [];
      return byColumns(async () => {
        const { text, values } = matchText(source(visibility), { ...query, classes }, atMost);
        const { rows } = await runner.reading(visibility).runOnce<OutlineRow>(text, values);
        return rows.map(outlineOf);
      });
    },

    async count(query, visibility, atMost) {
      const classes = visibleClasses(query.classes, visibility);
      if (classes.length === 0) return 0;
      const most = atMost ?? Number.POSITIVE_INFINITY;
      if (query.recycled === true) return Math.min(await readsForAll.countRecycled(classes, visibility), most);
      if (query.filter === undefined) return Math.min(await readsForAll.count(classes, visibility), most);
      return byColumns(async () => {
        const { text, values } = countText(source(visibility), { ...query, classes }, atMost);
        const { rows } = await runner.reading(visibility).runOnce<{ count: number }>(text, values);
        return Number(rows[0]?.count);
      });
    },

    async lock(ids) {
      if (ids.length > 0) await runner.atomically((sql) => WriteLock.take(sql, context));
    },

    async insert(objects, by) {
      if (objects.length === 0) return [];
      for (const { className, attributes } of objects) acceptStorable([className, attributes]);
      const wanted = structuredClone(objects).map((object) => ({
        ...object,
        uuid: object.uuid?.toLowerCase() ?? randomUUID(),
        readers: object.readers ?? null,
      }));
      if (!wanted.every(({ uuid }) => isUuid(uuid))) throw new ServiceError(307, { detail: "A UUID is malformed." });
      const uuids = wanted.map(({ uuid }) => uuid);
      if (new Set(uuids).size < uuids.length) throw new UuidTakenError();
      const given = uuids.filter((_, index) => objects[index]?.uuid !== undefined);
      return runner.atomically(async (sql) => {
        const writeLock = await WriteLock.take(sql, context, by);
        const [reads, writes] = [
          new ObjectReads(sql, context.tables),
          new ObjectWrites(sql, context.tables, writeLock),
        ];
        await writes.acceptTargets(wanted.map(({ links = {} }) => links));
        // A generated UUID is unique.
        if (given.length > 0 && (await reads.isTaken(given))) throw new UuidTakenError();
        for (const { attributes } of wanted) acceptObjectSize(attributes);
        const { first, stamp } = await writeLock.numbers(wanted.length);
        const written = wanted.map(({ className, attributes, uuid, readers, links = {} }, index): WrittenObject => {
          const id = objectIdOf(first + index);
          return { object: { id, uuid, className, attributes, readers, version: 1, storedAt: writeLock.now }, links };
        });
        await writes.add(written, stamp);
        return written.map(({ object }) => object);
      });
    },

    async update(changes, by) {
      if (changes.length === 0) return [];
      acceptChanges(changes);
      const wanted = structuredClone(changes);
      return runner.atomically(async (sql) => {
        const writeLock = await WriteLock.take(sql, context, by);
        const writes = new ObjectWrites(sql, context.tables, writeLock);
        const objects = await changeable(sql, wanted, by);
        await writes.acceptTargets(wanted.map(({ links }) => links));
        const changing = wanted.map((change) => ({ change, object: objects.get(change.id) as StoredObject }));
        const kept = await withKeptMembers(changing, by.visibility ?? seesAll, new ObjectReads(sql, context.tables));
        const written = kept.map(
          ({ object, change: { attributes, links, readers = object.readers } }): WrittenObject => {
            const whole = { ...object.attributes, ...attributes };
            return { object: nextVersion(object, writeLock.now, { attributes: whole, readers }), links };
          },
        );
        for (const { object } of written) acceptObjectSize(object.attributes);
        const stamp = await writeLock.stamp();
        await new FormerReaders(sql, context.tables).keep(
          kept.map(({ object, change: { readers = object.readers } }) => ({ object, readers })),
          { now: writeLock.now, stamp },
        );
        await writes.replace(written, stamp);
        await writes.recount(
          kept.map(({ object: before }, index) => [before, (written[index] as WrittenObject).object]),
        );
        return written.map(({ object }) => object);
      });
    },
  };

  /** The objects to change, by id, if all of them may be changed. */
  async function changeable(
    sql: SqlRunner,
    changes: readonly ObjectChange[],
    { session, className, visibility = seesAll }: Writing,
  ): Promise<ReadonlyMap<ObjectId, StoredObject>> {
    const reads = new ObjectReads(sql, context.tables);
    const numbers = objectNumbers(changes.map(({ id }) => id));
    const objects = new Map((await reads.byNumbers(numbers, seesAll)).map((object) => [object.id, object]));
    const missing = changes.map(({ id }) => id).filter((id) => !objects.has(id));
    const deleted = await reads.deletedIds(objectNumbers(missing));
    for (const { id } of changes) {
      const object = objects.get(id);
      if (object === undefined) throw new ServiceError(deleted.has(id) ? 610 : 304);
      if (!isVisible(object, visibility) || (className ?? object.className) !== object.className)
        throw new ServiceError(304);
    }
    const lockedBy = await reads.locks(numbers, context.offset());
    for (const { id, expectedVersions } of changes) {
      const holder = lockedBy.get(id);
      if (holder !== undefined && holder !== session)
        throw new ServiceError(713, { detail: "The object is locked by another session." });
      const { version } = objects.get(id) as StoredObject;
      if (expectedVersions !== null && !expectedVersions.includes(version))
        throw new ServiceError(713, { detail: "The object has another version." });
    }
    return objects;
  }

  /** The lowest value on a page, if an index provides it. */
  async function floorOf(query: ObjectQuery, visibility: Visibility, page: Page): Promise<KeyValue> {
    const composed = floorText(source(visibility), query, page);
    if (composed === null) return null;
    const { rows } = await runner.reading(visibility).runOnce<{ floor: KeyValue }>(composed.text, composed.values);
    return rows[0]?.floor ?? null;
  }

  async function ordered(query: ObjectQuery, visibility: Visibility, page: BoundedPage): Promise<ObjectPage> {
    return (await pageOf(query, visibility, page, "starts")) ?? querySlowly(query, visibility, page);
  }

  /** A page; null if prefixes do not decide its order. */
  async function pageOf(
    query: ObjectQuery,
    visibility: Visibility,
    page: BoundedPage,
    by: SortPrecision,
  ): Promise<ObjectPage | null> {
    const { text, values, columns } = findText(source(visibility), query, page, by);
    const { rows } = await runner.reading(visibility).runOnce<BoundedRow & Record<string, KeyValue>>(text, values);
    if (by === "starts" && !rows.every((row) => isDecided(columns, row))) return null;
    const last = rows.at(-1);
    return {
      objects: objectsWithin(rows, objectOf),
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

  /** A page sorted by whole texts. */
  async function querySlowly(query: ObjectQuery, visibility: Visibility, page: BoundedPage): Promise<ObjectPage> {
    const { text, values } = maxTextLength(source(visibility), query);
    const { rows } = await runner.reading(visibility).runOnce<{ longest: string }>(text, values);
    return (await pageOf(query, visibility, page, {
      longest: JSON.parse(rows[0]?.longest ?? "[]") as number[],
    })) as ObjectPage;
  }

  /** Queries by indexed columns, and retries once if another process has dropped one. */
  async function byColumns<T>(ask: () => Promise<T>): Promise<T> {
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

  function source(visibility: Visibility): QuerySource {
    const { tables, columns } = context;
    return { tables, columns, visibility };
  }
}
