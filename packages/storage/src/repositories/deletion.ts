import { isObjectId, type ObjectId, objectNumber } from "../entities/object-id.ts";
import type { JsonValue, StoredObject } from "../entities/stored-object.ts";
import { isVisible } from "../entities/visibility.ts";
import type { Access } from "../kernel/access.ts";
import type { RowReader, Rows } from "../kernel/rows.ts";
import type {
  DeleteOptions,
  DeletionRepository,
  LinkTarget,
  RecycledRoot,
  Referrer,
  Restoration,
  Tombstone,
} from "../ports/deletion-repository.ts";
import { formerReadersOf, keepFormerReaders, removeFormerReaders } from "./changes.ts";
import { frozenCopy } from "./frozen-copy.ts";
import { liveLock } from "./locks.ts";
import { raiseNumber } from "./numbers.ts";
import { acceptModel, keepObject, keysOf, outlineOf } from "./objects.ts";
import { keepValues } from "./query/value-indexes.ts";
import { formerReadersTable, lockTable, objectTable, type TombstoneRow, tombstoneTable, uuidTable } from "./tables.ts";

/** Transactions have the outcome of a serial order, so no locks are necessary. */
export const deletionRepository = (access: Access): DeletionRepository => ({
  lock: (ids, by) =>
    access.read(async (rows) => {
      await acceptModel(rows, by);
      const now = await rows.now();
      const locked = [];
      for (const { object } of await rows.getAll(objectTable, keysOf(ids)))
        locked.push({
          object: outlineOf(object),
          lockedBy: (await liveLock(rows, object.id, now))?.session ?? null,
        });
      return locked;
    }),

  referrers(ids, { attributes, limit }) {
    const targets = new Set(ids);
    const wanted = attributes === null ? null : new Set(attributes.map(nameOf));
    return access.read(async (rows) => {
      const found: Referrer[] = [];
      for (const [number] of keysOf(ids))
        for await (const { object, links } of rows.each(objectTable, { index: "byTarget", of: [number] })) {
          if (targets.has(object.id)) continue;
          for (const [attribute, linked] of Object.entries(links))
            for (const target of new Set(linked)) {
              const link = { id: object.id, className: object.className, attribute, target };
              if (objectNumber(target) !== number || wanted?.has(nameOf(link)) === false) continue;
              if (found.length >= limit) return found;
              found.push(link);
            }
        }
      return found;
    });
  },

  clear: (links) =>
    access.write(async (rows) => {
      const now = await rows.now();
      for (const id of new Set(links.map((link) => link.id)))
        await clearOne(
          rows,
          id,
          links.filter((link) => link.id === id),
          now,
        );
    }),

  delete: (ids, how) =>
    access.write(async (rows) => {
      if (await isFull(rows, ids, how)) return "full";
      await deleteAll(rows, ids, how, await rows.now());
      return "deleted";
    }),

  find: (reference, visibility) =>
    access.read(async (rows) => {
      const id = reference.kind === "id" ? reference.id : (await rows.get(uuidTable, reference.uuid.toLowerCase()))?.id;
      const [row] = id === undefined ? [] : await rows.getAll(tombstoneTable, keysOf([id]));
      return row !== undefined && isVisible(row.object, visibility) ? tombstoneOf(row) : null;
    }),

  recycledWith: (id, by) =>
    access.read(async (rows) => {
      await acceptModel(rows, by);
      const [row] = await rows.getAll(tombstoneTable, keysOf([id]));
      if (row === undefined || kindOf(row) === "deleted") return [];
      const span = { index: "byRoot", of: [objectNumber(row.root)] } as const;
      const group = await rows.list(tombstoneTable, span, Number.POSITIVE_INFINITY);
      return group.map(({ object }) => object as StoredObject);
    }),

  targets: (ids) =>
    access.read(async (rows) => [
      ...(await rows.getAll(objectTable, keysOf(ids))).map(({ object }) => targetOf(object, true)),
      ...(await rows.getAll(tombstoneTable, keysOf(ids))).map((row) =>
        targetOf(row.object, kindOf(row) === "recycled"),
      ),
    ]),

  listRecycled: ({ deletedBy, visibility, after, limit }) =>
    access.read(async (rows) => {
      const page = after === null ? {} : { to: [after.deletedAt, objectNumber(after.id)] };
      const roots: RecycledRoot[] = [];
      if (limit > 0)
        for await (const row of rows.each(tombstoneTable, { index: "byTime", ...page }, "descending")) {
          const isMeant = deletedBy === null || row.deletedBy === deletedBy;
          if (isMeant && isVisible(row.object, visibility) && roots.push(rootOf(row)) >= limit) break;
        }
      return roots;
    }),

  purge: (ids) =>
    access.write(async (rows) => {
      const [now, stamp] = [await rows.now(), await rows.stamp()];
      const recycled = (await rows.getAll(tombstoneTable, keysOf(ids))).filter((row) => kindOf(row) === "recycled");
      const purged = recycled.map((row) => {
        const { attributes: _attributes, ...object } = row.object;
        return { ...row, object: Object.freeze({ ...object, version: object.version + 1, storedAt: now }), stamp };
      });
      await rows.put(tombstoneTable, ...purged);
    }),

  restore(objects) {
    const copies = frozenCopy(objects);
    return access.write(async (rows) => {
      const now = await rows.now();
      const restored: StoredObject[] = [];
      for (const object of copies) restored.push(await restoreOne(rows, object, now));
      return restored;
    });
  },

  sweep: (age, limit) =>
    access.write(async (rows) => {
      const until = (await rows.now()) - age;
      const tombstones = await sweepTombstones(rows, until, limit);
      return tombstones + (await sweepFormerReaders(rows, until, limit - tombstones));
    }),
});

function nameOf({ className, attribute }: Pick<Referrer, "className" | "attribute">): string {
  return JSON.stringify([className, attribute]);
}

function kindOf({ object }: TombstoneRow): Tombstone["kind"] {
  return object.attributes === undefined ? "deleted" : "recycled";
}

/** Removes the targets of these links from one object. */
async function clearOne(rows: Rows, id: ObjectId, links: readonly Referrer[], storedAt: number): Promise<void> {
  const row = isObjectId(id) ? await rows.get(objectTable, objectNumber(id)) : undefined;
  if (row === undefined) return;
  const linked = { ...row.links };
  const attributes: Record<string, JsonValue> = { ...row.object.attributes };
  for (const { attribute, target } of links) {
    const value = attributes[attribute] ?? null;
    if (Array.isArray(value)) attributes[attribute] = value.filter((member) => member !== target);
    else attributes[attribute] = value === target ? null : value;
    linked[attribute] = (linked[attribute] ?? []).filter((each) => each !== target);
  }
  const object = { ...row.object, attributes, version: row.object.version + 1, storedAt };
  await keepObject(rows, { ...row, object: frozenCopy(object), links: frozenCopy(linked) }, row.object);
}

/** Whether the user would exceed the quota of the recycle bin. */
async function isFull(
  rows: RowReader,
  ids: readonly ObjectId[],
  { recycled, deletedBy = null, quota = 0 }: DeleteOptions,
): Promise<boolean> {
  if (!recycled || deletedBy === null || quota === 0) return false;
  const before = await rows.count(tombstoneTable, { index: "byDeleter", of: [deletedBy] });
  return before + (await rows.getAll(objectTable, keysOf(ids))).length > quota;
}

async function deleteAll(
  rows: Rows,
  ids: readonly ObjectId[],
  { recycled, root, deletedBy = null }: DeleteOptions,
  storedAt: number,
): Promise<void> {
  const stamp = await rows.stamp();
  const live = await rows.getAll(objectTable, keysOf(ids));
  const tombstones = live.map(({ object, createdStamp }) => {
    const { attributes, ...rest } = { ...object, version: object.version + 1, storedAt };
    return { object: Object.freeze(recycled ? { ...rest, attributes } : rest), root, deletedBy, stamp, createdStamp };
  });
  const keys = live.map(objectTable.key);
  await rows.delete(objectTable, ...keys);
  await keepValues(
    rows,
    live.map(({ object }) => ({ before: object, after: null })),
  );
  await rows.delete(lockTable, ...keys);
  await rows.put(tombstoneTable, ...tombstones);
}

function tombstoneOf(row: TombstoneRow): Tombstone {
  const { id, uuid, className, version, storedAt } = row.object;
  return { id, uuid, className, version, deletedAt: storedAt, kind: kindOf(row), deletedBy: row.deletedBy };
}

function rootOf(row: TombstoneRow): RecycledRoot {
  const { kind: _kind, ...root } = tombstoneOf(row);
  return root;
}

function targetOf({ id, className }: Pick<StoredObject, "id" | "className">, exists: boolean): LinkTarget {
  return { id, className, exists };
}

async function restoreOne(rows: Rows, { id, attributes, links }: Restoration, storedAt: number): Promise<StoredObject> {
  const key = [objectNumber(id)];
  const row = (await rows.get(tombstoneTable, ...key)) as TombstoneRow;
  const object = row.object as StoredObject;
  const written = { attributes: { ...object.attributes, ...attributes }, version: object.version + 1, storedAt };
  await keepFormerReaders(rows, object, row.createdStamp, storedAt);
  await rows.delete(tombstoneTable, key);
  return keepObject(rows, { object: frozenCopy({ ...object, ...written }), links, createdStamp: 0 }, null);
}

/** Forgets permanently deleted objects. Returns their number. Their UUIDs stay known. */
async function sweepTombstones(rows: Rows, until: number, limit: number): Promise<number> {
  const over = await rows.list(tombstoneTable, { index: "byAge", through: [until] }, limit);
  for (const { object, stamp } of over) {
    const entries = await formerReadersOf(rows, object.id);
    await removeFormerReaders(rows, entries);
    await raiseNumber(rows, "sweptStamp", Math.max(stamp, ...entries.map((entry) => entry.stamp)));
  }
  await rows.delete(tombstoneTable, ...over.map(tombstoneTable.key));
  return over.length;
}

async function sweepFormerReaders(rows: Rows, until: number, limit: number): Promise<number> {
  const over = await rows.list(formerReadersTable, { index: "byAge", through: [until] }, limit);
  await removeFormerReaders(rows, over);
  await raiseNumber(rows, "sweptStamp", Math.max(0, ...over.map(({ stamp }) => stamp)));
  return over.length;
}
