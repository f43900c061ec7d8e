import {
  type ChangedObject,
  type DeleteOptions,
  type Digest,
  type FormerReadersEntry,
  type LinkedObject,
  type ObjectId,
  objectIdOf,
  objectNumber,
  objectNumbers,
  type ObjectOutline,
  type ObjectState,
  type ObjectWriter as ObjectWriterPort,
  type ReaderHistory,
  type ReadObject,
  type Referrer,
  seesAll,
  type StoredObject,
  type WriteObjects,
} from "@sallyport/storage";
import type { ObjectRow } from "../../../object-row.ts";
import { insertRows, type SqlRunner, type SqlValue } from "../../../sql-runner.ts";
import { storageTime } from "../expressions.ts";
import { ObjectReads } from "./object-reads.ts";
import { attributesText, isAmongNumbers, objectColumns, parsedObjectOf } from "../object-row.ts";
import { type ObjectContext, WriteLock } from "./write-lock.ts";

/** Writes objects under the write lock. */
export const writeObjects =
  (runner: SqlRunner, context: ObjectContext): WriteObjects<ReadObject> =>
  (work, by) =>
    runner.atomically(async (sql) => work(new ObjectWriter(sql, context, await WriteLock.take(sql, context, by))));

const replacedColumns = ["version", "stored_at", "readers", "attributes", "stamp"];

/** The tables of objects under the write lock, so that objects stay unchanged until the transaction ends. */
class ObjectWriter implements ObjectWriterPort<ReadObject> {
  readonly now: number;
  private readonly reads: ObjectReads;
  private readonly tables: ObjectContext["tables"];

  constructor(
    private readonly sql: SqlRunner,
    private readonly context: ObjectContext,
    private readonly writeLock: WriteLock,
  ) {
    this.now = writeLock.now;
    this.tables = context.tables;
    this.reads = new ObjectReads(sql, context.tables);
  }

  stamp(): Promise<number> {
    return this.writeLock.stamp();
  }

  numbers(count: number): Promise<number> {
    return this.writeLock.numbers(count);
  }

  async objects(ids: readonly ObjectId[]): Promise<ReadObject[]> {
    return (await this.reads.byNumbers(objectNumbers(ids), seesAll)).map((object) => ({ object }));
  }

  outlines(ids: readonly ObjectId[]): Promise<ObjectOutline[]> {
    return this.reads.outlines(objectNumbers(ids), seesAll);
  }

  async states(ids: readonly ObjectId[]): Promise<ObjectState[]> {
    const { tombstones, objects } = this.tables;
    const among = isAmongNumbers("oid", objectNumbers(ids));
    const { rows } = await this.sql.runOnce<Pick<ObjectRow, "oid" | "class" | "readers"> & Pick<ObjectState, "state">>(
      `select oid, class, readers, 'live' as state from ${objects} where ${among}
      union all select oid, class, readers, if(recycled = 1, 'recycled', 'deleted') from ${tombstones} where ${among}`,
    );
    return rows.map((row) => ({
      id: objectIdOf(Number(row.oid)),
      className: row.class,
      readers: row.readers?.map(objectIdOf) ?? null,
      state: row.state,
    }));
  }

  async isTaken(uuids: readonly string[]): Promise<boolean> {
    const places = uuids.map((_, index) => `$${index + 1}`).join(", ");
    const having = (table: string) => `select 1 from ${table} where uuid in (${places})`;
    const { tombstones, objects, sweptObjects } = this.tables;
    const text = `${[objects, tombstones, sweptObjects].map(having).join(" union all ")} limit 1`;
    return (await this.sql.runOnce(text, uuids)).rows.length > 0;
  }

  async lockedBy(ids: readonly ObjectId[]): Promise<ReadonlyMap<ObjectId, Digest>> {
    const { locks, sessions } = this.tables;
    const { rows } = await this.sql.runOnce<{ oid: number; session: Digest }>(
      `select l.oid, lower(hex(l.session)) as session from ${locks} l join ${sessions} s on s.digest = l.session
      where ${isAmongNumbers("l.oid", objectNumbers(ids))} and s.expires_at > ${storageTime(1)}`,
      [this.context.offset()],
    );
    return new Map(rows.map(({ oid, session }) => [objectIdOf(Number(oid)), session]));
  }

  recycled(ids: readonly ObjectId[]): Promise<ReadObject[]> {
    return this.select(isAmongNumbers("d.oid", objectNumbers(ids)));
  }

  async recycledWith(id: ObjectId): Promise<ReadObject[]> {
    const [number] = objectNumbers([id]);
    if (number === undefined) return [];
    const root = `select root from ${this.tables.tombstones} where oid = ${number} and attributes is not null`;
    return this.select(`d.root = (${root})`);
  }

  async countRecycledBy(user: ObjectId): Promise<number> {
    const { rows } = await this.sql.runOnce<{ count: number }>(
      `select count(*) as count from ${this.tables.tombstones} where deleted_by = ${objectNumber(user)} and recycled = 1`,
    );
    return Number(rows[0]?.count);
  }

  async histories(objects: readonly ReadObject[]): Promise<ReaderHistory[]> {
    const numbers = objectNumbers(objects.map(({ object }) => object.id));
    const { rows } = await this.sql.runOnce<FormerRow>(
      `select oid, stamp, class, readers, changed_at from ${this.tables.formerReaders} where ${isAmongNumbers("oid", numbers)}`,
    );
    const created = await this.createdIn(await this.stamp(), numbers);
    const entries = rows.map(entryOf);
    return objects.map(({ object }) => ({
      object,
      isNew: created.has(object.id),
      entries: entries.filter(({ id }) => id === object.id),
    }));
  }

  async keepFormerReaders(
    entries: readonly FormerReadersEntry[],
    removed: readonly FormerReadersEntry[],
  ): Promise<void> {
    const { formerReaders } = this.tables;
    await insertRows(this.sql, formerReaders, formerReaderColumns, entries.map(formerRowOf), {
      otherwise: "on duplicate key update readers = values(readers)",
    });
    await this.forget(removed.map(({ id, stamp }) => ({ oid: objectNumber(id), stamp })));
  }

  async add(added: readonly LinkedObject[], { restored }: { readonly restored: boolean }): Promise<void> {
    const { links, objects, tombstones } = this.tables;
    const stamp = await this.stamp();
    if (restored) await this.removeFrom(tombstones, "oid", numbersOf(added));
    const columns = [...rowColumns(), "created_stamp"];
    const rows = added.map(({ object }) => [...liveRowOf(object, stamp), restored ? null : stamp]);
    await this.writeLock.writeValues((computed) => insertRows(this.sql, objects, columns, rows, { computed }));
    await insertRows(this.sql, links, ["target", "source", "attribute"], added.flatMap(linkRows));
    await this.count(added, 1);
  }

  async replace(changed: readonly ChangedObject<ReadObject>[]): Promise<void> {
    const { links, objects } = this.tables;
    const stamp = await this.stamp();
    const rows = changed.map(({ object }) => liveRowOf(object, stamp));
    await this.writeLock.writeValues((computed) => {
      const replaced = [...replacedColumns, ...computed.keys()].map((column) => `${column} = values(${column})`);
      const otherwise = `on duplicate key update ${replaced.join(", ")}`;
      return insertRows(this.sql, objects, rowColumns(), rows, { computed, otherwise });
    });
    for (const { object, links: linked } of changed) {
      const attributes = Object.keys(linked);
      if (attributes.length === 0) continue;
      const places = attributes.map((_, index) => `$${index + 2}`).join(", ");
      await this.sql.runOnce(`delete from ${links} where source = $1 and attribute in (${places})`, [
        objectNumber(object.id),
        ...attributes,
      ]);
    }
    await insertRows(this.sql, links, ["target", "source", "attribute"], changed.flatMap(linkRows));
    const turned = changed.filter(({ before, object }) => isOpen(before) !== isOpen({ object }));
    await this.count(
      turned.map(({ before }) => before),
      -1,
    );
    await this.count(turned, 1);
  }

  async unlink(removed: readonly Referrer[]): Promise<void> {
    for (const { attribute, target, id } of removed)
      await this.sql.runOnce(`delete from ${this.tables.links} where target = $1 and source = $2 and attribute = $3`, [
        objectNumber(target),
        objectNumber(id),
        attribute,
      ]);
  }

  async bury(
    buried: readonly Omit<ChangedObject<ReadObject>, "links">[],
    { recycled, root, deletedBy = null }: DeleteOptions,
  ): Promise<void> {
    const { links, locks, objects, tombstones } = this.tables;
    const stamp = await this.stamp();
    const numbers = numbersOf(buried);
    const created = await this.createdIn(stamp, numbers);
    await this.removeFrom(objects, "oid", numbers);
    await this.removeFrom(links, "source", numbers);
    await this.removeFrom(locks, "oid", numbers);
    await this.count(
      buried.map(({ before }) => before),
      -1,
    );
    const rows = buried.map(({ object }) => [
      ...rowOf(object, recycled ? attributesText(object.attributes) : null, stamp),
      objectNumber(root),
      deletedBy === null ? null : objectNumber(deletedBy),
      created.has(object.id) ? stamp : null,
    ]);
    const columns = [...rowColumns("deleted_at"), "root", "deleted_by", "created_stamp"];
    await insertRows(this.sql, tombstones, columns, rows);
  }

  async purge(ids: readonly ObjectId[]): Promise<void> {
    const purged = `attributes = null, version = version + 1, deleted_at = ${this.now}, stamp = ${await this.stamp()}`;
    await this.sql.runOnce(
      `update ${this.tables.tombstones} set ${purged} where ${isAmongNumbers("oid", objectNumbers(ids))} and attributes is not null`,
    );
  }

  async sweep(until: number, limit: number): Promise<number> {
    const { formerReaders, settings, sweptObjects, tombstones } = this.tables;
    const old = await this.sql.runOnce<SweptRow & { readonly uuid: string }>(
      `select oid, uuid, stamp from ${tombstones} where recycled = 0 and deleted_at <= ${until} order by deleted_at, oid limit ${limit}`,
    );
    const numbers = old.rows.map(({ oid }) => Number(oid));
    const orphaned = await this.sql.runOnce<SweptRow>(
      `select oid, stamp from ${formerReaders} where ${isAmongNumbers("oid", numbers)}`,
    );
    const aged = await this.sql.runOnce<SweptRow>(
      `select oid, stamp from ${formerReaders} where changed_at <= ${until} and not ${isAmongNumbers("oid", numbers)}
      order by changed_at, stamp, oid limit ${limit - numbers.length}`,
    );
    const gone = [...orphaned.rows, ...aged.rows];
    if (old.rows.length + gone.length === 0) return 0;
    const swept = old.rows.map(({ oid, uuid }) => [Number(oid), uuid]);
    await insertRows(this.sql, sweptObjects, ["oid", "uuid"], swept);
    await this.removeFrom(tombstones, "oid", numbers);
    await this.forget(gone);
    const highest = [...old.rows, ...gone].reduce((most, { stamp }) => Math.max(most, Number(stamp)), 0);
    await this.sql.runOnce(`update ${settings} set swept_stamp = greatest(swept_stamp, ${highest})`);
    return numbers.length + aged.rows.length;
  }

  /** The objects among these numbers that the transaction of this stamp has created. */
  private async createdIn(stamp: number, numbers: readonly number[]): Promise<ReadonlySet<ObjectId>> {
    const parts = [this.tables.objects, this.tables.tombstones].map(
      (table) => `select oid from ${table} where ${isAmongNumbers("oid", numbers)} and created_stamp = ${stamp}`,
    );
    const { rows } = await this.sql.runOnce<{ oid: number }>(parts.join(" union "));
    return new Set(rows.map(({ oid }) => objectIdOf(Number(oid))));
  }

  private async forget(entries: readonly SweptRow[]): Promise<void> {
    if (entries.length === 0) return;
    const places = entries.map(({ oid, stamp }) => `(${Number(oid)}, ${Number(stamp)})`).join(", ");
    await this.sql.runOnce(`delete from ${this.tables.formerReaders} where (oid, stamp) in (${places})`);
  }

  private async removeFrom(table: string, column: "oid" | "source", numbers: readonly number[]): Promise<void> {
    await this.sql.runOnce(`delete from ${table} where ${isAmongNumbers(column, numbers)}`);
  }

  /** Updates the counts of objects without readers, by class. */
  private async count(objects: readonly ReadObject[], sign: 1 | -1): Promise<void> {
    const counts = new Map<string, number>();
    for (const { object } of objects.filter(isOpen))
      counts.set(object.className, (counts.get(object.className) ?? 0) + sign);
    await insertRows(this.sql, this.tables.objectCounts, ["class", "objects"], [...counts], {
      otherwise: "on duplicate key update objects = objects + values(objects)",
    });
  }

  /** Recycled objects, by ascending number. */
  private async select(selection: string): Promise<ReadObject[]> {
    const text = `select ${objectColumns("d", "deleted_at")} from ${this.tables.tombstones} d where d.attributes is not null and ${selection} order by d.oid`;
    return (await this.sql.runOnce<ObjectRow>(text)).rows.map((row) => ({ object: parsedObjectOf(row) }));
  }
}

/** An entry of former readers as its key. */
interface SweptRow {
  readonly oid: number;
  readonly stamp: number;
}

interface FormerRow extends SweptRow, Pick<ObjectRow, "class" | "readers"> {
  readonly changed_at: number;
}

function entryOf(row: FormerRow): FormerReadersEntry {
  const readers = row.readers?.map(objectIdOf) ?? null;
  const [stamp, changedAt] = [Number(row.stamp), Number(row.changed_at)];
  return { id: objectIdOf(Number(row.oid)), className: row.class, readers, stamp, changedAt };
}

export const formerReaderColumns = ["oid", "stamp", "class", "readers", "changed_at"];

/** The values of these columns. */
export function formerRowOf({ id, stamp, className, readers, changedAt }: FormerReadersEntry): SqlValue[] {
  return [objectNumber(id), stamp, className, readerNumbers(readers), changedAt];
}

/** The columns of a row that contains an object or a tombstone; the argument names the time column. */
export function rowColumns(storedAt: "stored_at" | "deleted_at" = "stored_at"): string[] {
  return ["oid", "uuid", "class", "version", storedAt, "readers", "attributes", "stamp"];
}

/** The values of these columns. The attributes are stored text, null if the object cannot be restored. */
export function rowOf(
  { id, uuid, className, version, storedAt, readers }: Omit<StoredObject, "attributes">,
  attributes: string | null,
  stamp: number,
): SqlValue[] {
  return [objectNumber(id), uuid, className, version, storedAt, readerNumbers(readers), attributes, stamp];
}

function liveRowOf(object: StoredObject, stamp: number): SqlValue[] {
  return rowOf(object, attributesText(object.attributes), stamp);
}

function readerNumbers(readers: StoredObject["readers"]): string | null {
  return readers === null ? null : JSON.stringify(readers.map(objectNumber));
}

function linkRows({ object, links }: LinkedObject): SqlValue[][] {
  return Object.entries(links).flatMap(([attribute, ids]) =>
    objectNumbers(ids).map((target) => [target, objectNumber(object.id), attribute]),
  );
}

function numbersOf(objects: readonly ReadObject[]): number[] {
  return objects.map(({ object }) => objectNumber(object.id));
}

function isOpen({ object }: ReadObject): boolean {
  return object.readers === null;
}
