import {
  type CancellableRead,
  type LinkTarget,
  type ObjectId,
  objectNumber,
  type RecycledRoot,
  type StoredObject,
  type Tombstone,
  type TrashQuery,
  type Visibility,
} from "@sallyport/storage";
import {
  tombstoneOf,
  type TombstoneRow,
  type ObjectRow,
  readersOf,
  recycledRootOf,
  type RecycledRow,
  targetOf,
  type TargetRow,
} from "../../../object-row.ts";
import { insertRows, type SqlRunner, type SqlValue } from "../../../sql-runner.ts";
import { QueryParameters, visibleCondition } from "../query/mariadb-query-scope.ts";
import type { Tables } from "../tables.ts";
import { attributesText, isAmongNumbers, objectColumns, objectNumbers, objectOf } from "./object-row.ts";
import { rowColumns, rowOf } from "./object-writes.ts";

/** How objects are deleted: number of the root and of the user. */
interface NewTombstone {
  readonly recycled: boolean;
  readonly root: number;
  readonly deletedBy: number | null;
  readonly stamp: number;
  /** Numbers of the objects that the same transaction has created. */
  readonly created: ReadonlySet<number>;
}

/** The table of tombstones. A row keeps its attributes if the object can be restored. */
export class Tombstones {
  constructor(
    private readonly sql: SqlRunner,
    private readonly tables: Tables,
  ) {}

  /** Adds tombstones. `storedAt` is the time of deletion. */
  async add(
    objects: readonly StoredObject[],
    { recycled, root, deletedBy, stamp, created }: NewTombstone,
  ): Promise<void> {
    const rows = objects.map((object) => [
      ...rowOf(object, recycled ? attributesText(object.attributes) : null, stamp),
      root,
      deletedBy,
      created.has(objectNumber(object.id)) ? stamp : null,
    ]);
    const columns = [...rowColumns("deleted_at"), "root", "deleted_by", "created_stamp"];
    await insertRows(this.sql, this.tables.tombstones, columns, rows);
  }

  async find(column: "oid" | "uuid", value: number | string, visibility: Visibility): Promise<Tombstone | null> {
    const parameters = new QueryParameters();
    const selection = `d.${column} = ${parameters.add(value)} and ${visibleCondition("d", visibility, parameters)}`;
    const text = `select d.oid, d.uuid, d.class, d.version, d.deleted_at, d.deleted_by, d.recycled from ${this.tables.tombstones} d where ${selection}`;
    const { rows } = await this.sql.reading(visibility).runOnce<TombstoneRow>(text, parameters.values);
    return rows[0] === undefined ? null : tombstoneOf(rows[0]);
  }

  /** The recycled objects that were deleted with this one, by ascending number. */
  recycledWith(number: number): Promise<StoredObject[]> {
    return this.select(
      `d.root = (select root from ${this.tables.tombstones} where oid = ${number} and attributes is not null)`,
    );
  }

  /** The recycled objects among these numbers, ascending. */
  recycled(numbers: readonly number[]): Promise<StoredObject[]> {
    return this.select(isAmongNumbers("d.oid", numbers));
  }

  /** The live objects and tombstones among these numbers. */
  async targets(numbers: readonly number[]): Promise<LinkTarget[]> {
    if (numbers.length === 0) return [];
    const { tombstones, objects } = this.tables;
    const { rows } = await this.sql.runOnce<TargetRow>(
      `select oid, class, true as present from ${objects} where ${isAmongNumbers("oid", numbers)}
      union all select oid, class, attributes is not null from ${tombstones} where ${isAmongNumbers("oid", numbers)}`,
    );
    return rows.map(targetOf);
  }

  /** The number of objects that a user has recycled. */
  async countOf(user: number): Promise<number> {
    const { rows } = await this.sql.runOnce<{ count: number }>(
      `select count(*) as count from ${this.tables.tombstones} where deleted_by = ${user} and recycled = 1`,
    );
    return Number(rows[0]?.count);
  }

  async listRecycled(
    { deletedBy, visibility, after, limit }: TrashQuery,
    options: CancellableRead,
  ): Promise<RecycledRoot[]> {
    const parameters = new QueryParameters();
    const conditions = ["d.recycled = 1", "d.root = d.oid", visibleCondition("d", visibility, parameters)];
    if (deletedBy !== null) conditions.push(`d.deleted_by = ${objectNumber(deletedBy)}`);
    if (after !== null) {
      const time = parameters.add(after.deletedAt);
      conditions.push(`d.deleted_at <= ${time} and (d.deleted_at < ${time} or d.oid < ${objectNumber(after.id)})`);
    }
    const text = `select d.oid, d.uuid, d.class, d.version, d.deleted_at, d.deleted_by from ${this.tables.tombstones} d
      where ${conditions.join(" and ")} order by d.deleted_at desc, d.oid desc limit ${limit}`;
    const { rows } = await this.sql.reading(options).runOnce<RecycledRow>(text, parameters.values);
    return rows.map(recycledRootOf);
  }

  /** Removes the attributes of recycled objects, so that they cannot be restored. */
  async purge(
    numbers: readonly number[],
    { now, stamp }: { readonly now: number; readonly stamp: number },
  ): Promise<void> {
    const purged = `attributes = null, version = version + 1, deleted_at = ${now}, stamp = ${stamp}`;
    await this.sql.runOnce(
      `update ${this.tables.tombstones} set ${purged} where ${isAmongNumbers("oid", numbers)} and attributes is not null`,
    );
  }

  async remove(numbers: readonly number[]): Promise<void> {
    await this.sql.runOnce(`delete from ${this.tables.tombstones} where ${isAmongNumbers("oid", numbers)}`);
  }

  /** Forgets permanently deleted objects, then former readers, up to a time. Returns their number. */
  async sweep(until: number, limit: number): Promise<number> {
    const { formerReaders, settings, sweptObjects, tombstones } = this.tables;
    const old = await this.sql.runOnce<{ oid: number; uuid: string; stamp: number }>(
      `select oid, uuid, stamp from ${tombstones} where recycled = 0 and deleted_at <= ${until} order by deleted_at, oid limit ${limit}`,
    );
    const numbers = old.rows.map(({ oid }) => Number(oid));
    const orphaned = await this.sql.runOnce<{ oid: number; stamp: number }>(
      `select oid, stamp from ${formerReaders} where ${isAmongNumbers("oid", numbers)}`,
    );
    const aged = await this.sql.runOnce<{ oid: number; stamp: number }>(
      `select oid, stamp from ${formerReaders} where changed_at <= ${until} and not ${isAmongNumbers("oid", numbers)}
      order by changed_at, stamp, oid limit ${limit - numbers.length}`,
    );
    const gone = [...orphaned.rows, ...aged.rows];
    if (old.rows.length + gone.length === 0) return 0;
    await insertRows(
      this.sql,
      sweptObjects,
      ["oid", "uuid"],
      old.rows.map(({ oid, uuid }) => [Number(oid), uuid]),
    );
    await this.remove(numbers);
    if (gone.length > 0)
      await this.sql.runOnce(
        `delete from ${formerReaders} where (oid, stamp) in (${gone.map(({ oid, stamp }) => `(${Number(oid)}, ${Number(stamp)})`).join(", ")})`,
      );
    const highest = [...old.rows, ...gone].reduce((most, { stamp }) => Math.max(most, Number(stamp)), 0);
    await this.sql.runOnce(`update ${settings} set swept_stamp = greatest(swept_stamp, ${highest})`);
    return numbers.length + aged.rows.length;
  }

  private async select(selection: string): Promise<StoredObject[]> {
    const text = `select ${objectColumns("d", "deleted_at")} from ${this.tables.tombstones} d where d.attributes is not null and ${selection} order by d.oid`;
    const { rows } = await this.sql.runOnce<ObjectRow>(text);
    return rows.map(objectOf);
  }
}

/** An object before a change, and its readers after it. */
export interface ReaderChange {
  readonly object: StoredObject;
  readonly readers: readonly ObjectId[] | null;
}

interface WriteMoment {
  readonly now: number;
  readonly stamp: number;
}

interface FormerRow {
  readonly oid: number;
  readonly stamp: number;
  readonly readers: readonly number[] | null;
}

/**
 * The readers of objects before a transaction changes them, unless it has created the object. Earlier rows keep only
 * other readers, so that each reader is in the last row that ended the reader's access, and the rows of an object never
 * hold more readers than it had.
 */
export class FormerReaders {
  constructor(
    private readonly sql: SqlRunner,
    private readonly tables: Tables,
  ) {}

  /** Stores the readers of objects whose readers change. Precedes the change. */
  async keep(changing: readonly ReaderChange[], at: WriteMoment): Promise<void> {
    const changed = changing.filter(
      ({ object, readers }) => JSON.stringify(object.readers) !== JSON.stringify(readers),
    );
    await this.keepOf(
      changed.map(({ object }) => object),
      at,
    );
  }

  /** Stores the readers of objects that are restored. Precedes the removal of their tombstones. */
  async keepOf(objects: readonly StoredObject[], { now, stamp }: WriteMoment): Promise<void> {
    if (objects.length === 0) return;
    const numbers = objectNumbers(objects.map(({ id }) => id));
    const { rows } = await this.sql.runOnce<FormerRow>(
      `select oid, stamp, readers from ${this.tables.formerReaders} where ${isAmongNumbers("oid", numbers)}`,
    );
    const created = await createdIn(stamp, numbers, this.sql, this.tables);
    const kept = new Set(rows.filter((row) => Number(row.stamp) === stamp).map(({ oid }) => Number(oid)));
    const added: SqlValue[][] = [];
    for (const { id, className, readers } of objects) {
      const number = objectNumber(id);
      if (created.has(number) || kept.has(number)) continue;
      for (const row of rows) if (Number(row.oid) === number) await this.leaveOthers(row, readers);
      const former = readers === null ? null : JSON.stringify(readers.map(objectNumber));
      added.push([number, stamp, className, former, now]);
    }
    await insertRows(this.sql, this.tables.formerReaders, formerReaderColumns, added);
  }

  /** Removes readers from an earlier row, and the row if no reader is left. */
  private async leaveOthers(row: FormerRow, readers: readonly ObjectId[] | null): Promise<void> {
    const { formerReaders } = this.tables;
    const before = readersOf(row);
    if (before === null && readers !== null) return;
    const left = before?.filter((reader) => readers === null || !readers.includes(reader)) ?? [];
    if (left.length === before?.length && left.length > 0) return;
    const place = `where oid = ${Number(row.oid)} and stamp = ${Number(row.stamp)}`;
    if (left.length === 0) await this.sql.runOnce(`delete from ${formerReaders} ${place}`);
    else
      await this.sql.runOnce(`update ${formerReaders} set readers = $1 ${place}`, [
        JSON.stringify(left.map(objectNumber)),
      ]);
  }
}

export const formerReaderColumns = ["oid", "stamp", "class", "readers", "changed_at"];

/** The numbers of the objects that the transaction of this stamp has created. */
export async function createdIn(
  stamp: number,
  numbers: readonly number[],
  sql: SqlRunner,
  { objects, tombstones }: Tables,
): Promise<ReadonlySet<number>> {
  const parts = [objects, tombstones].map(
    (table) => `select oid from ${table} where ${isAmongNumbers("oid", numbers)} and created_stamp = ${stamp}`,
  );
  const { rows } = await sql.runOnce<{ oid: number }>(parts.join(" union "));
  return new Set(rows.map(({ oid }) => Number(oid)));
}
