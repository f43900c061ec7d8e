import {
  type Attributes,
  type Links,
  type ObjectChange,
  type ObjectId,
  objectNumber,
  ServiceError,
  type StoredObject,
  type Visibility,
} from "@sallyport/core";
import { insertRows, type SqlRunner, type SqlValue } from "../../../sql-runner.ts";
import type { Tables } from "../tables.ts";
import type { ObjectReads } from "./object-reads.ts";
import { isAmongNumbers, objectNumbers } from "./object-row.ts";
import { attributesText } from "./stored-attributes.ts";

/** An object that is written, and what its attributes point to: of those that are named, if it was there before. */
export interface WrittenObject {
  readonly object: StoredObject;
  readonly links: Links;
}

/** What is done to the tables when it is a transaction's turn to write. */
export class ObjectWrites {
  constructor(
    private readonly sql: SqlRunner,
    private readonly tables: Tables,
  ) {}

  /** Keeps objects that are not there. */
  async add(written: readonly WrittenObject[], stamp: number): Promise<void> {
    const { links, objects } = this.tables;
    await insertRows(
      this.sql,
      objects,
      rowColumns(),
      written.map(({ object }) => liveRowOf(object, stamp)),
    );
    await insertRows(this.sql, links, ["target", "source", "attribute"], written.flatMap(linkRows));
    await this.count(
      written.map(({ object }) => object),
      1,
    );
  }

  /** Replaces objects by what they are now; links of other attributes than those named stay. */
  async replace(written: readonly WrittenObject[], stamp: number): Promise<void> {
    const { links, objects } = this.tables;
    const changed = ["version", "stored_at", "readers", "attributes", "stamp"]
      .map((column) => `${column} = values(${column})`)
      .join(", ");
    await insertRows(
      this.sql,
      objects,
      rowColumns(),
      written.map(({ object }) => liveRowOf(object, stamp)),
      `on duplicate key update ${changed}`,
    );
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

  /** Takes objects away, with their links and locks. */
  async remove(gone: readonly StoredObject[]): Promise<void> {
    if (gone.length === 0) return;
    const { links, locks, objects } = this.tables;
    const numbers = objectNumbers(gone.map(({ id }) => id));
    await this.sql.runOnce(`delete from ${objects} where ${isAmongNumbers("oid", numbers)}`);
    await this.sql.runOnce(`delete from ${links} where ${isAmongNumbers("source", numbers)}`);
    await this.sql.runOnce(`delete from ${locks} where ${isAmongNumbers("oid", numbers)}`);
    await this.count(gone, -1);
  }

  /** Refuses links to what is not live: 307. */
  async acceptTargets(linked: readonly Links[]): Promise<void> {
    const ids = new Set<ObjectId>(linked.flatMap((links) => Object.values(links).flat()));
    if (ids.size === 0) return;
    const { rows } = await this.sql.runOnce<{ live: number }>(
      `select count(*) as live from ${this.tables.objects} where ${isAmongNumbers("oid", objectNumbers(ids))}`,
    );
    if (Number(rows[0]?.live) < ids.size)
      throw new ServiceError(307, { detail: "A link leads to an object that is not there." });
  }

  /** Keeps count of what has got readers, or has none any more; pairs of an object before and after. */
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

  /** Keeps count of the objects without readers of each class. */
  private async count(objects: readonly StoredObject[], sign: 1 | -1): Promise<void> {
    const counts = new Map<string, number>();
    for (const { className, readers } of objects)
      if (readers === null) counts.set(className, (counts.get(className) ?? 0) + sign);
    await insertRows(
      this.sql,
      this.tables.objectCounts,
      ["class", "objects"],
      [...counts],
      "on duplicate key update objects = objects + values(objects)",
    );
  }
}

/** The columns of a row that holds an object, or what is left of one, whose time is called so. */
export function rowColumns(storedAt: "stored_at" | "deleted_at" = "stored_at"): string[] {
  return ["oid", "uuid", "class", "version", storedAt, "readers", "attributes", "stamp"];
}

/** The values of these columns; the attributes as they are stored, null where there is nothing to return with. */
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

/** An object as it is after a change. */
export function nextVersion(object: StoredObject, storedAt: number, changes: Partial<StoredObject> = {}): StoredObject {
  return { ...object, ...changes, version: object.version + 1, storedAt };
}

function linkRows({ object, links }: WrittenObject): SqlValue[][] {
  return Object.entries(links).flatMap(([attribute, ids]) =>
    objectNumbers(ids).map((target) => [target, objectNumber(object.id), attribute]),
  );
}

/** A change and the object that it is about. */
interface Changing {
  readonly change: ObjectChange;
  readonly object: StoredObject;
}

/** A collection that gets another list than it has. */
interface NewList {
  readonly name: string;
  readonly given: readonly ObjectId[];
  /** The members that are not in it any more. */
  readonly missing: readonly ObjectId[];
}

/** The changes, in whose collections those members stay that the writer cannot mean to take out. */
export async function withKeptMembers(
  changing: readonly Changing[],
  visibility: Visibility,
  reads: ObjectReads,
): Promise<Changing[]> {
  const missing = changing.flatMap((each) => newLists(each).flatMap((list) => list.missing));
  const kept = missing.length === 0 ? new Set<ObjectId>() : await reads.outOfSight(objectNumbers(missing), visibility);
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
    const [given, held] = [listIn(attributes, name), listIn(object.attributes, name)];
    return given === null || held === null ? [] : [{ name, given, missing: held.filter((id) => !given.includes(id)) }];
  });
}

function listIn(attributes: Attributes, name: string): readonly ObjectId[] | null {
  const value = Object.hasOwn(attributes, name) ? attributes[name] : null;
  return Array.isArray(value) ? value.filter((id) => typeof id === "string") : null;
}
