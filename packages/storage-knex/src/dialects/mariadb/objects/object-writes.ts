import {
  type Attributes,
  type Links,
  type ObjectChange,
  type ObjectId,
  objectNumber,
  ServiceError,
  type StoredObject,
  type Visibility,
} from "@sallyport/storage";
import { insertRows, type SqlRunner, type SqlValue } from "../../../sql-runner.ts";
import type { Tables } from "../tables.ts";
import type { ObjectReads } from "./object-reads.ts";
import { attributesText, isAmongNumbers, objectNumbers } from "./object-row.ts";
import type { WriteLock } from "./write-lock.ts";

/** A written object and the targets of its attributes; for a changed object, only those of the named attributes. */
export interface WrittenObject {
  readonly object: StoredObject;
  readonly links: Links;
}

const replacedColumns = ["version", "stored_at", "readers", "attributes", "stamp"];

/** Writes to the tables under the write lock. */
export class ObjectWrites {
  constructor(
    private readonly sql: SqlRunner,
    private readonly tables: Tables,
    private readonly writeLock: WriteLock,
  ) {}

  /** Inserts objects that are new, or restored. */
  async add(written: readonly WrittenObject[], stamp: number, { restored = false } = {}): Promise<void> {
    const { links, objects } = this.tables;
    const columns = [...rowColumns(), "created_stamp"];
    const rows = written.map(({ object }) => [...liveRowOf(object, stamp), restored ? null : stamp]);
    await this.writeLock.writeValues((computed) => insertRows(this.sql, objects, columns, rows, { computed }));
    await insertRows(this.sql, links, ["target", "source", "attribute"], written.flatMap(linkRows));
    await this.count(
      written.map(({ object }) => object),
      1,
    );
  }

  /** Updates objects. Links of other attributes than those named stay. */
  async replace(written: readonly WrittenObject[], stamp: number): Promise<void> {
    const { links, objects } = this.tables;
    const rows = written.map(({ object }) => liveRowOf(object, stamp));
    await this.writeLock.writeValues((computed) => {
      const changed = [...replacedColumns, ...computed.keys()].map((column) => `${column} = values(${column})`);
      const otherwise = `on duplicate key update ${changed.join(", ")}`;
      return insertRows(this.sql, objects, rowColumns(), rows, { computed, otherwise });
    });
    for (const { object, links: linked } of written) {
      const attributes = Object.keys(linked);
      if (attributes.length === 0) continue;
      const places = attributes.map((_, index) => `$${index + 2}`).join(", ");
      await this.sql.runOnce(`delete from ${links} where source = $1 and attribute in (${places})`, [
        objectNumber(object.id),
        ...attributes,
      ]);
    }
    await insertRows(this.sql, links, ["target", "source", "attribute"], written.flatMap(linkRows));
  }

  /** Deletes objects with their links and locks. */
  async remove(gone: readonly StoredObject[]): Promise<void> {
    if (gone.length === 0) return;
    const { links, locks, objects } = this.tables;
    const numbers = objectNumbers(gone.map(({ id }) => id));
    await this.sql.runOnce(`delete from ${objects} where ${isAmongNumbers("oid", numbers)}`);
    await this.sql.runOnce(`delete from ${links} where ${isAmongNumbers("source", numbers)}`);
    await this.sql.runOnce(`delete from ${locks} where ${isAmongNumbers("oid", numbers)}`);
    await this.count(gone, -1);
  }

  /** Throws 307 for a link to an object that is not live. */
  async acceptTargets(linked: readonly Links[]): Promise<void> {
    const ids = new Set<ObjectId>(linked.flatMap((links) => Object.values(links).flat()));
    if (ids.size === 0) return;
    const { rows } = await this.sql.runOnce<{ live: number }>(
      `select count(*) as live from ${this.tables.objects} where ${isAmongNumbers("oid", objectNumbers(ids))}`,
    );
    if (Number(rows[0]?.live) < ids.size)
      throw new ServiceError(307, { detail: "A link references an object that does not exist." });
  }

  /** Updates the counts for objects that gained or lost readers. Takes pairs of an object before and after. */
  async recount(changed: readonly (readonly [before: StoredObject, after: StoredObject])[]): Promise<void> {
    const turned = changed.filter(([before, after]) => (before.readers === null) !== (after.readers === null));
    await this.count(
      turned.map(([before]) => before),
      -1,
    );
    await this.count(
      turned.map(([, after]) => after),
      1,
    );
  }

  /** Updates the counts of objects without readers, by class. */
  private async count(objects: readonly StoredObject[], sign: 1 | -1): Promise<void> {
    const counts = new Map<string, number>();
    for (const { className, readers } of objects)
      if (readers === null) counts.set(className, (counts.get(className) ?? 0) + sign);
    await insertRows(this.sql, this.tables.objectCounts, ["class", "objects"], [...counts], {
      otherwise: "on duplicate key update objects = objects + values(objects)",
    });
  }
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
  const readerNumbers = readers === null ? null : JSON.stringify(readers.map(objectNumber));
  return [objectNumber(id), uuid, className, version, storedAt, readerNumbers, attributes, stamp];
}

function liveRowOf(object: StoredObject, stamp: number): SqlValue[] {
  return rowOf(object, attributesText(object.attributes), stamp);
}

export function nextVersion(object: StoredObject, storedAt: number, changes: Partial<StoredObject> = {}): StoredObject {
  return { ...object, ...changes, version: object.version + 1, storedAt };
}

function linkRows({ object, links }: WrittenObject): SqlValue[][] {
  return Object.entries(links).flatMap(([attribute, ids]) =>
    objectNumbers(ids).map((target) => [target, objectNumber(object.id), attribute]),
  );
}

interface Changing {
  readonly change: ObjectChange;
  readonly object: StoredObject;
}

/** A collection whose list changes. */
interface NewList {
  readonly name: string;
  readonly given: readonly ObjectId[];
  /** The removed members. */
  readonly missing: readonly ObjectId[];
}

/** The changes, with the collection members kept that the writer cannot see and so cannot mean to remove. */
export async function withKeptMembers(
  changing: readonly Changing[],
  visibility: Visibility,
  reads: ObjectReads,
): Promise<Changing[]> {
  const missing = changing.flatMap((each) => newLists(each).flatMap((list) => list.missing));
  const kept =
    missing.length === 0 ? new Set<ObjectId>() : await reads.invisibleIds(objectNumbers(missing), visibility);
  if (kept.size === 0) return [...changing];
  return changing.map(({ change, object }) => {
    const lists = newLists({ change, object }).map(
      ({ name, given, missing: those }) => [name, [...given, ...those.filter((id) => kept.has(id))]] as const,
    );
    const whole = Object.fromEntries(lists);
    return {
      object,
      change: { ...change, attributes: { ...change.attributes, ...whole }, links: { ...change.links, ...whole } },
    };
  });
}

function newLists({ change: { attributes, links }, object }: Changing): NewList[] {
  return Object.keys(links).flatMap((name) => {
    const [given, stored] = [listIn(attributes, name), listIn(object.attributes, name)];
    return given === null || stored === null
      ? []
      : [{ name, given, missing: stored.filter((id) => !given.includes(id)) }];
  });
}

function listIn(attributes: Attributes, name: string): readonly ObjectId[] | null {
  const value = Object.hasOwn(attributes, name) ? attributes[name] : null;
  return Array.isArray(value) ? value.filter((id) => typeof id === "string") : null;
}
