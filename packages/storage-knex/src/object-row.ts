import {
  AnswerTooLargeError,
  type Attributes,
  isObjectId,
  type Links,
  type LinkTarget,
  missingTarget,
  type ObjectId,
  objectIdOf,
  objectNumber,
  objectNumbers,
  type ObjectOutline,
  type RecycledRoot,
  type Referrer,
  type StoredObject,
  type Tombstone,
  UnparsedObject,
  type Visibility,
} from "@sallyport/storage";
import type { SqlValue } from "./sql-runner.ts";

/** An object as statements return it, see `objectOf`. */
export interface ObjectRow {
  readonly oid: string | number;
  readonly uuid: string;
  readonly class: string;
  readonly version: number;
  readonly stored_at: string | number;
  readonly readers: readonly number[] | null;
  readonly attributes: Attributes;
}

/** An `ObjectRow` of a bounded statement: all rows have attributes, or none has, see `requireObjects`. */
export interface BoundedRow extends Omit<ObjectRow, "attributes"> {
  readonly attributes: ObjectRow["attributes"] | null;
}

/** An outline of an object, see `outlineOf`. */
export interface OutlineRow extends Pick<ObjectRow, "oid" | "uuid" | "class" | "version" | "stored_at"> {
  readonly bytes: number;
}

export function objectOf(row: ObjectRow): StoredObject {
  return {
    id: objectIdOf(Number(row.oid)),
    uuid: row.uuid,
    className: row.class,
    storedAt: Number(row.stored_at),
    version: row.version,
    attributes: row.attributes,
    readers: row.readers?.map(objectIdOf) ?? null,
  };
}

/** The objects of a bounded statement, all or none. Throws `AnswerTooLargeError` if their attributes exceeded the limit. */
export function requireObjects(
  rows: readonly BoundedRow[],
  rowToObject: (row: ObjectRow) => StoredObject,
): StoredObject[] {
  if (rows[0]?.attributes === null) throw new AnswerTooLargeError();
  return (rows as readonly ObjectRow[]).map(rowToObject);
}

/**
 * An object of a statement that reads several, see `objectsOfPage`. The driver takes less time for one line than for each
 * value, and V8 much less than for one text of more than 128 KiB.
 */
export interface PageRow {
  readonly class: string;
  /** Null in all rows if their attributes exceeded the limit. */
  readonly line: string | null;
}

/** The objects of a page statement. Throws `AnswerTooLargeError` if their attributes exceeded the limit. */
export function objectsOfPage(rows: readonly PageRow[], unparsed = false): StoredObject[] {
  const read = unparsed ? objectOfLine : parsedObjectOfLine;
  return rows.map(({ class: className, line }) => {
    if (line === null) throw new AnswerTooLargeError();
    return read(line, className);
  });
}

function objectOfLine(line: string, className: string): UnparsedObject {
  const start = line.indexOf("{");
  const [oid, version, storedAt, uuid = "", readers] = line.slice(0, start - 1).split(" ");
  return new UnparsedObject(
    objectIdOf(Number(oid)),
    uuid,
    className,
    Number(storedAt),
    Number(version),
    readersOf(readers),
    line.slice(start),
  );
}

function parsedObjectOfLine(line: string, ofClass: string): StoredObject {
  const { id, uuid, className, storedAt, version, attributes, readers } = objectOfLine(line, ofClass);
  return { id, uuid, className, storedAt, version, attributes, readers };
}

function readersOf(text = "-"): ObjectId[] | null {
  if (text === "-") return null;
  return text === "" ? [] : text.split(",").map((reader) => objectIdOf(Number(reader)));
}

export function outlineOf({ oid, uuid, class: className, version, stored_at, bytes }: OutlineRow): ObjectOutline {
  return { id: objectIdOf(Number(oid)), uuid, className, version, storedAt: Number(stored_at), bytes };
}

/** The columns of a tombstone. */
export interface RecycledRow extends Pick<ObjectRow, "oid" | "uuid" | "class" | "version"> {
  readonly deleted_at: string | number;
  readonly deleted_by: string | number | null;
}

export interface TombstoneRow extends RecycledRow {
  readonly recycled: boolean;
}

export interface ReferrerRow extends Pick<ObjectRow, "class"> {
  readonly source: string | number;
  readonly attribute: string;
  readonly target: string | number;
}

export interface TargetRow extends Pick<ObjectRow, "oid" | "class"> {
  readonly present: boolean;
}

export function tombstoneOf(row: TombstoneRow): Tombstone {
  return { ...recycledRootOf(row), kind: row.recycled ? "recycled" : "deleted" };
}

/** The root of a deletion in the recycle bin, or any tombstone without its kind. */
export function recycledRootOf({
  oid,
  uuid,
  class: className,
  version,
  deleted_at,
  deleted_by,
}: RecycledRow): RecycledRoot {
  return {
    id: objectIdOf(Number(oid)),
    uuid,
    className,
    version: Number(version),
    deletedAt: Number(deleted_at),
    deletedBy: deleted_by === null ? null : objectIdOf(Number(deleted_by)),
  };
}

export function referrerOf({ source, class: className, attribute, target }: ReferrerRow): Referrer {
  return { id: objectIdOf(Number(source)), className, attribute, target: objectIdOf(Number(target)) };
}

export function targetOf({ oid, class: className, present }: TargetRow): LinkTarget {
  return { id: objectIdOf(Number(oid)), className, exists: present };
}

/** The visible classes and the principals as parameters; null means no restriction. */
export function visibilityParameters(visibility: Visibility): [SqlValue, SqlValue] {
  return [visibility.classes === null ? null : [...visibility.classes], principalsOf(visibility)];
}

export function principalsOf({ principals }: Visibility): number[] | null {
  return principals === null ? null : objectNumbers(principals);
}

/** The links of several objects as parameters: all links with their source, or null; and their targets, without duplicates. */
export function linkParameters(
  sources: readonly { readonly source: object; readonly links: Links | undefined }[],
): [SqlValue, SqlValue] {
  const linked: object[] = [];
  const all = new Set<number>();
  for (const { source, links = {} } of sources)
    for (const [attribute, ids] of Object.entries(links)) {
      const targets = ids.map(existing);
      linked.push({ ...source, attribute, targets });
      for (const target of targets) all.add(target);
    }
  return [linked.length === 0 ? null : JSON.stringify(linked), [...all]];
}

function existing(id: ObjectId): number {
  if (!isObjectId(id)) throw missingTarget();
  return objectNumber(id);
}
