import type { Digest } from "../digests/index.ts";
import { type ObjectId, objectNumber } from "../entities/object-id.ts";
import type { Links, Writing } from "../entities/stored-object.ts";
import type { Access } from "../kernel/access.ts";
import type { RowReader, Rows } from "../kernel/rows.ts";
import type { DeleteOptions, Referrer } from "../ports/deletion-repository.ts";
import { OutdatedModelError } from "../ports/model-repository.ts";
import { liveLocks } from "./locks.ts";
import { currentNumber, newNumbers, raiseNumber } from "./numbers.ts";
import { keysOf, outlineOf } from "./stored-objects.ts";
import { keepValues } from "./query/value-indexes.ts";
import { formerReadersTable, lockTable, objectTable, type TombstoneRow, tombstoneTable, uuidTable } from "./tables.ts";
import type {
  ChangedObject,
  FormerReadersEntry,
  LinkedObject,
  ObjectState,
  ObjectWriter,
  ReadObject,
  ReaderHistory,
  WriteObjects,
} from "./writes/object-writer.ts";

/** A row of a live object, or of a recycled one, which keeps no links. */
interface ReadRow extends ReadObject {
  readonly createdStamp: number;
  readonly links?: Links;
}

/** Writes objects in a transaction, which has the outcome of a serial order and so excludes other writers. */
export const writeObjects =
  (access: Access): WriteObjects<ReadRow> =>
  (work, by) =>
    access.write(async (rows) => {
      await acceptModel(rows, by);
      return work(new RowWriter(rows, await rows.now()));
    });

async function acceptModel(rows: RowReader, by: Pick<Writing, "modelGeneration"> | undefined): Promise<void> {
  const prepared = by?.modelGeneration;
  if (prepared !== undefined && prepared !== (await currentNumber(rows, "modelGeneration")))
    throw new OutdatedModelError();
}

class RowWriter implements ObjectWriter<ReadRow> {
  constructor(
    private readonly rows: Rows,
    readonly now: number,
  ) {}

  stamp(): Promise<number> {
    return this.rows.stamp();
  }

  numbers(count: number): Promise<number> {
    return newNumbers(this.rows, "object", count);
  }

  objects(ids: readonly ObjectId[]): Promise<ReadRow[]> {
    return this.rows.getAll(objectTable, keysOf(ids));
  }

  async outlines(ids: readonly ObjectId[]) {
    return (await this.objects(ids)).map(({ object }) => outlineOf(object));
  }

  async states(ids: readonly ObjectId[]): Promise<ObjectState[]> {
    const live = await this.rows.getAll(objectTable, keysOf(ids));
    const buried = await this.rows.getAll(tombstoneTable, keysOf(ids));
    const stateOf = (row: TombstoneRow) => (isRecycled(row) ? ("recycled" as const) : ("deleted" as const));
    return [
      ...live.map(({ object }) => ({ ...object, state: "live" as const })),
      ...buried.map((row) => ({ ...row.object, state: stateOf(row) })),
    ].map(({ id, className, readers, state }) => ({ id, className, readers, state }));
  }

  async isTaken(uuids: readonly string[]): Promise<boolean> {
    const keys = uuids.map((uuid) => [uuid]);
    return (await this.rows.getAll(uuidTable, keys)).length > 0;
  }

  async lockedBy(ids: readonly ObjectId[]): Promise<ReadonlyMap<ObjectId, Digest>> {
    return new Map((await liveLocks(this.rows, ids, this.now)).map(({ id, session }) => [id, session]));
  }

  async recycled(ids: readonly ObjectId[]): Promise<ReadRow[]> {
    const recycled: readonly unknown[] = await this.recycledRows(ids);
    return recycled as ReadRow[];
  }

  async recycledWith(id: ObjectId): Promise<ReadRow[]> {
    const [row] = await this.recycledRows([id]);
    if (row === undefined) return [];
    const span = { index: "byRoot", of: [objectNumber(row.root)] } as const;
    const group: readonly unknown[] = await this.rows.list(tombstoneTable, span, Number.POSITIVE_INFINITY);
    return group as ReadRow[];
  }

  countRecycledBy(user: ObjectId): Promise<number> {
    return this.rows.count(tombstoneTable, { index: "byDeleter", of: [user] });
  }

  async histories(objects: readonly ReadRow[]): Promise<ReaderHistory[]> {
    const stamp = await this.stamp();
    const histories: ReaderHistory[] = [];
    for (const { object, createdStamp } of objects)
      histories.push({ object, isNew: createdStamp === stamp, entries: await this.formerReadersOf(object.id) });
    return histories;
  }

  async keepFormerReaders(
    entries: readonly FormerReadersEntry[],
    removed: readonly FormerReadersEntry[],
  ): Promise<void> {
    await this.rows.put(formerReadersTable, ...entries);
    await this.rows.delete(formerReadersTable, ...removed.map(formerReadersTable.key));
  }

  async add(objects: readonly LinkedObject[], { restored }: { readonly restored: boolean }): Promise<void> {
    const stamp = await this.stamp();
    const numbers = objects.map(({ object }) => [objectNumber(object.id)]);
    if (restored) await this.rows.delete(tombstoneTable, ...numbers);
    else await this.rows.put(uuidTable, ...objects.map(({ object: { id, uuid } }) => ({ id, uuid })));
    const createdStamp = restored ? 0 : stamp;
    await this.rows.put(objectTable, ...objects.map((each) => ({ ...each, stamp, createdStamp })));
    await keepValues(
      this.rows,
      objects.map(({ object }) => ({ before: null, after: object })),
    );
  }

  async replace(changed: readonly ChangedObject<ReadRow>[]): Promise<void> {
    const stamp = await this.stamp();
    const rows = changed.map(({ before, object, links }) => ({
      object,
      links: Object.freeze({ ...before.links, ...links }),
      stamp,
      createdStamp: before.createdStamp,
    }));
    await this.rows.put(objectTable, ...rows);
    await keepValues(
      this.rows,
      changed.map(({ before, object }) => ({ before: before.object, after: object })),
    );
  }

  async unlink(links: readonly Referrer[]): Promise<void> {
    const isGone = (id: ObjectId, attribute: string, target: ObjectId) =>
      links.some((link) => link.id === id && link.attribute === attribute && link.target === target);
    const rows = await this.rows.getAll(objectTable, keysOf(links.map(({ id }) => id)));
    const left = rows.map((row) => {
      const entries = Object.entries(row.links).map(
        ([attribute, targets]) =>
          [attribute, targets.filter((target) => !isGone(row.object.id, attribute, target))] as const,
      );
      return { ...row, links: Object.fromEntries(entries) };
    });
    await this.rows.put(objectTable, ...left);
  }

  async bury(
    buried: readonly Omit<ChangedObject<ReadRow>, "links">[],
    { recycled, root, deletedBy = null }: DeleteOptions,
  ): Promise<void> {
    const stamp = await this.stamp();
    const tombstones = buried.map(({ before, object: { attributes, ...rest } }) => ({
      object: Object.freeze(recycled ? { ...rest, attributes } : rest),
      root,
      deletedBy,
      stamp,
      createdStamp: before.createdStamp,
    }));
    const keys = buried.map(({ object }) => [objectNumber(object.id)]);
    await this.rows.delete(objectTable, ...keys);
    await keepValues(
      this.rows,
      buried.map(({ before }) => ({ before: before.object, after: null })),
    );
    await this.rows.delete(lockTable, ...keys);
    await this.rows.put(tombstoneTable, ...tombstones);
  }

  async purge(ids: readonly ObjectId[]): Promise<void> {
    const stamp = await this.stamp();
    const purged = (await this.recycledRows(ids)).map((row) => {
      const { attributes: _attributes, ...object } = row.object;
      return { ...row, object: Object.freeze({ ...object, version: object.version + 1, storedAt: this.now }), stamp };
    });
    await this.rows.put(tombstoneTable, ...purged);
  }

  async sweep(until: number, limit: number): Promise<number> {
    const tombstones = await this.sweepTombstones(until, limit);
    const span = { index: "byAge", through: [until] } as const;
    const over = await this.rows.list(formerReadersTable, span, limit - tombstones);
    await this.forget(over);
    return tombstones + over.length;
  }

  /** Forgets permanently deleted objects. Returns their number. Their UUIDs stay known. */
  private async sweepTombstones(until: number, limit: number): Promise<number> {
    const over = await this.rows.list(tombstoneTable, { index: "byAge", through: [until] }, limit);
    for (const { object, stamp } of over) {
      await this.forget(await this.formerReadersOf(object.id));
      await raiseNumber(this.rows, "sweptStamp", stamp);
    }
    await this.rows.delete(tombstoneTable, ...over.map(tombstoneTable.key));
    return over.length;
  }

  private async forget(entries: readonly FormerReadersEntry[]): Promise<void> {
    await this.rows.delete(formerReadersTable, ...entries.map(formerReadersTable.key));
    await raiseNumber(this.rows, "sweptStamp", Math.max(0, ...entries.map(({ stamp }) => stamp)));
  }

  private async recycledRows(ids: readonly ObjectId[]): Promise<TombstoneRow[]> {
    return (await this.rows.getAll(tombstoneTable, keysOf(ids))).filter(isRecycled);
  }

  /** The entries of an object in the order of stamps. */
  private formerReadersOf(id: ObjectId): Promise<FormerReadersEntry[]> {
    return this.rows.list(formerReadersTable, { of: [objectNumber(id)] }, Number.POSITIVE_INFINITY);
  }
}

function isRecycled({ object }: TombstoneRow): boolean {
  return object.attributes !== undefined;
}
