import {
  type Tombstone,
  type LinkTarget,
  objectNumber,
  type RecycledRoot,
  type TrashQuery,
  type StoredObject,
  type Visibility,
} from "@sallyport/core";
import {
  tombstoneOf,
  type TombstoneRow,
  type ObjectRow,
  recycledRootOf,
  type RecycledRow,
  targetOf,
  type TargetRow,
} from "../../../object-row.ts";
import { insertRows, type SqlRunner } from "../../../sql-runner.ts";
import { QueryParameters, visibleCondition } from "../query/query-parameters.ts";
import type { Tables } from "../tables.ts";
import { isAmongNumbers, objectColumns, objectOf } from "./object-row.ts";
import { rowColumns, rowOf } from "./object-writes.ts";
import { attributesText } from "./stored-attributes.ts";

/** How objects are deleted: number of the root and of the user. */
interface NewTombstone {
  readonly recycled: boolean;
  readonly root: number;
  readonly deletedBy: number | null;
  readonly stamp: number;
}

/** The table of tombstones. A row keeps its attributes if the object can be restored. */
export class Tombstones {
  constructor(
    private readonly sql: SqlRunner,
    private readonly tables: Tables,
  ) {}

  /** Adds tombstones. `storedAt` is the time of deletion. */
  async add(objects: readonly StoredObject[], { recycled, root, deletedBy, stamp }: NewTombstone): Promise<void> {
    const rows = objects.map((object) => [
      ...rowOf(object, recycled ? attributesText(object.attributes) : null, stamp),
      root,
      recycled ? deletedBy : null,
    ]);
    await insertRows(this.sql, this.tables.tombstones, [...rowColumns("deleted_at"), "root", "deleted_by"], rows);
  }

  async find(column: "oid" | "uuid", value: number | string, visibility: Visibility): Promise<Tombstone | null> {
    const parameters = new QueryParameters();
    const selection = `d.${column} = ${parameters.add(value)} and ${visibleCondition("d", visibility, parameters)}`;
    const text = `select d.oid, d.uuid, d.class, d.version, d.deleted_at, d.recycled from ${this.tables.tombstones} d where ${selection}`;
    const { rows } = await this.sql.runOnce<TombstoneRow>(text, parameters.values);
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

  /** The number of recycled objects of some classes. */
  async count(classes: readonly string[]): Promise<number> {
    if (classes.length === 0) return 0;
    const places = classes.map((_, index) => `$${index + 1}`).join(", ");
    const { rows } = await this.sql.runOnce<{ count: number }>(
      `select count(*) as count from ${this.tables.tombstones} where class in (${places}) and recycled = 1`,
      classes,
    );
    return Number(rows[0]?.count);
  }

  /** The number of objects that a user has recycled. */
  async countOf(user: number): Promise<number> {
    const { rows } = await this.sql.runOnce<{ count: number }>(
      `select count(*) as count from ${this.tables.tombstones} where deleted_by = ${user} and recycled = 1`,
    );
    return Number(rows[0]?.count);
  }

  async listRecycled({ deletedBy, visibility, after, limit }: TrashQuery): Promise<RecycledRoot[]> {
    const parameters = new QueryParameters();
    const conditions = ["d.recycled = 1", "d.root = d.oid", visibleCondition("d", visibility, parameters)];
    if (deletedBy !== null) conditions.push(`d.deleted_by = ${objectNumber(deletedBy)}`);
    if (after !== null) {
      const time = parameters.add(after.deletedAt);
      conditions.push(`d.deleted_at <= ${time} and (d.deleted_at < ${time} or d.oid < ${objectNumber(after.id)})`);
    }
    const text = `select d.oid, d.uuid, d.class, d.version, d.deleted_at, d.deleted_by from ${this.tables.tombstones} d
      where ${conditions.join(" and ")} order by d.deleted_at desc, d.oid desc limit ${limit}`;
    const { rows } = await this.sql.runOnce<RecycledRow>(text, parameters.values);
    return rows.map(recycledRootOf);
  }

  /** Removes the attributes of recycled objects, so that they cannot be restored. */
  async purge(
    numbers: readonly number[],
    { now, stamp }: { readonly now: number; readonly stamp: number },
  ): Promise<void> {
    const purged = `attributes = null, deleted_by = null, version = version + 1, deleted_at = ${now}, stamp = ${stamp}`;
    await this.sql.runOnce(
      `update ${this.tables.tombstones} set ${purged} where ${isAmongNumbers("oid", numbers)} and attributes is not null`,
    );
  }

  async remove(numbers: readonly number[]): Promise<void> {
    await this.sql.runOnce(`delete from ${this.tables.tombstones} where ${isAmongNumbers("oid", numbers)}`);
  }

  private async select(selection: string): Promise<StoredObject[]> {
    const text = `select ${objectColumns("d", "deleted_at")} from ${this.tables.tombstones} d where d.attributes is not null and ${selection} order by d.oid`;
    const { rows } = await this.sql.runOnce<ObjectRow>(text);
    return rows.map(objectOf);
  }
}
