import {
  type DeletionRepository,
  isObjectId,
  isUuid,
  type JsonValue,
  objectNumber,
  type ObjectOutline,
  type Referrer,
  seesAll,
  type StoredObject,
  type Writing,
} from "@sallyport/storage";
import { referrerOf, type ReferrerRow } from "../../../object-row.ts";
import type { SqlRunner } from "../../../sql-runner.ts";
import { createdIn, FormerReaders, Tombstones } from "./tombstones.ts";
import { isAmongNumbers, objectNumbers } from "./object-row.ts";
import { ObjectReads } from "./object-reads.ts";
import { nextVersion, ObjectWrites, type WrittenObject } from "./object-writes.ts";
import { type ObjectContext, WriteLock } from "./write-lock.ts";

type Model = Pick<Writing, "modelGeneration">;

/** The context of a transaction that holds the write lock. */
interface WriteContext {
  readonly sql: SqlRunner;
  readonly writeLock: WriteLock;
  readonly reads: ObjectReads;
  readonly writes: ObjectWrites;
  readonly tombstones: Tombstones;
}

/** A lock on objects includes the write lock, so that objects stay unchanged until the transaction ends. */
export function mariadbDeletionRepository(runner: SqlRunner, context: ObjectContext): DeletionRepository {
  /** Tombstones without the write lock. */
  const unlocked = new Tombstones(runner, context.tables);

  return {
    lock: (ids, by = {}) =>
      withWriteLock(async ({ reads }) => {
        const numbers = objectNumbers(ids);
        const objects = await reads.outlines(numbers, seesAll);
        const lockedBy = await reads.locks(numbers, context.offset());
        return inOrder(objects).map((object) => ({ object, lockedBy: lockedBy.get(object.id) ?? null }));
      }, by),

    async referrers(ids, { attributes, limit }) {
      const { links, objects } = context.tables;
      const numbers = objectNumbers(ids);
      if (numbers.length === 0 || attributes?.length === 0) return [];
      const named = attributes?.map((_, index) => `($${2 * index + 1}, $${2 * index + 2})`).join(", ");
      const { rows } = await runner.runOnce<ReferrerRow>(
        `select k.source, o.class, k.attribute, k.target from ${links} k join ${objects} o on o.oid = k.source
      where ${isAmongNumbers("k.target", numbers)} and not ${isAmongNumbers("k.source", numbers)}
        ${named === undefined ? "" : `and (o.class, k.attribute) in (${named})`} limit ${limit}`,
        attributes?.flatMap(({ className, attribute }) => [className, attribute]) ?? [],
      );
      return rows.map(referrerOf);
    },

    clear: (links) =>
      withWriteLock(async ({ sql, writeLock, reads, writes }) => {
        const objects = await reads.byNumbers(objectNumbers(links.map(({ id }) => id)), seesAll);
        const written = objects.map((object) =>
          cleared(
            object,
            links.filter(({ id }) => id === object.id),
            writeLock.now,
          ),
        );
        await writes.replace(written, await writeLock.stamp());
        for (const { attribute, target, id } of links) {
          await sql.runOnce(
            `delete from ${context.tables.links} where target = $1 and source = $2 and attribute = $3`,
            [objectNumber(target), objectNumber(id), attribute],
          );
        }
      }),

    delete: (ids, { recycled, root, deletedBy = null, quota = 0 }) =>
      withWriteLock(async ({ sql, writeLock, reads, writes, tombstones }) => {
        const objects = await reads.byNumbers(objectNumbers(ids), seesAll);
        if (objects.length === 0) return "deleted";
        const user = deletedBy === null ? null : objectNumber(deletedBy);
        if (recycled && user !== null && quota > 0 && (await tombstones.countOf(user)) + objects.length > quota)
          return "full";
        const stamp = await writeLock.stamp();
        const created = await createdIn(stamp, objectNumbers(ids), sql, context.tables);
        await writes.remove(objects);
        const added = { recycled, root: objectNumber(root), deletedBy: user, stamp, created };
        await tombstones.add(
          objects.map((object) => nextVersion(object, writeLock.now)),
          added,
        );
        return "deleted";
      }),

    async find(reference, visibility) {
      if (reference.kind === "id")
        return isObjectId(reference.id) ? unlocked.find("oid", objectNumber(reference.id), visibility) : null;
      return isUuid(reference.uuid) ? unlocked.find("uuid", reference.uuid.toLowerCase(), visibility) : null;
    },

    recycledWith: (id, by = {}) =>
      withWriteLock(async ({ tombstones }) => (isObjectId(id) ? tombstones.recycledWith(objectNumber(id)) : []), by),

    targets: (ids) => withWriteLock(({ tombstones }) => tombstones.targets(objectNumbers(ids))),

    listRecycled: (page, options = {}) => unlocked.listRecycled(page, options),

    purge: (ids) =>
      withWriteLock(async ({ writeLock, tombstones }) => {
        const numbers = objectNumbers(ids);
        if (numbers.length > 0) await tombstones.purge(numbers, { now: writeLock.now, stamp: await writeLock.stamp() });
      }),

    restore: (objects) =>
      withWriteLock(async ({ sql, writeLock, writes, tombstones }) => {
        const recycled = await tombstones.recycled(objectNumbers(objects.map(({ id }) => id)));
        const found = new Map(recycled.map((object) => [object.id, object]));
        const written = objects.flatMap(({ id, attributes, links }): WrittenObject[] => {
          const object = found.get(id);
          if (object === undefined) return [];
          const whole = { ...object.attributes, ...attributes };
          return [{ object: nextVersion(object, writeLock.now, { attributes: whole }), links }];
        });
        if (written.length === 0) return [];
        const stamp = await writeLock.stamp();
        await new FormerReaders(sql, context.tables).keepOf(recycled, { now: writeLock.now, stamp });
        await tombstones.remove(objectNumbers(found.keys()));
        await writes.add(written, stamp, { restored: true });
        return written.map(({ object }) => object);
      }),

    sweep: (age, limit) => withWriteLock(({ writeLock, tombstones }) => tombstones.sweep(writeLock.now - age, limit)),
  };

  function withWriteLock<T>(work: (at: WriteContext) => Promise<T>, by: Model = {}): Promise<T> {
    const { tables } = context;
    return runner.atomically(async (sql) => {
      const writeLock = await WriteLock.take(sql, context, by);
      const reads = new ObjectReads(sql, tables);
      return work({
        sql,
        writeLock,
        reads,
        writes: new ObjectWrites(sql, tables, writeLock),
        tombstones: new Tombstones(sql, tables),
      });
    });
  }
}

function inOrder(objects: readonly ObjectOutline[]): ObjectOutline[] {
  return objects.toSorted((one, other) => objectNumber(one.id) - objectNumber(other.id));
}

/** The object without the lost targets: a reference becomes null, a collection keeps the others in order. */
function cleared(object: StoredObject, lost: readonly Referrer[], storedAt: number): WrittenObject {
  const attributes = new Map(Object.entries(object.attributes));
  for (const { attribute, target } of lost) {
    const value: JsonValue = attributes.get(attribute) ?? null;
    attributes.set(
      attribute,
      Array.isArray(value) ? value.filter((member) => member !== target) : value === target ? null : value,
    );
  }
  return { object: nextVersion(object, storedAt, { attributes: Object.fromEntries(attributes) }), links: {} };
}
