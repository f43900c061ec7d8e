import type { Digest } from "../../digests/index.ts";
import type { ObjectId } from "../../entities/object-id.ts";
import type { Links, ObjectOutline, StoredObject, Writing } from "../../entities/stored-object.ts";
import type { DeleteOptions, Referrer } from "../../ports/deletion-repository.ts";
import type { FormerReaders } from "../../ports/storage-archive.ts";

/** A live or recycled object, with what its adapter needs to write it again. */
export interface ReadObject {
  readonly object: StoredObject;
}

/** An object with the targets of its attributes; for a changed object, only those of the set attributes. */
export interface LinkedObject {
  readonly object: StoredObject;
  readonly links: Links;
}

/** An object after a change. */
export interface ChangedObject<Read extends ReadObject> extends LinkedObject {
  readonly before: Read;
}

/** The former readers of one object. */
export interface FormerReadersEntry extends FormerReaders, Pick<StoredObject, "id" | "className"> {}

/** The facts about an object on which a change of its readers depends. */
export interface ReaderHistory {
  readonly object: StoredObject;
  /** Whether the running transaction has created the object. */
  readonly isNew: boolean;
  readonly entries: readonly FormerReadersEntry[];
}

/** A live object or a tombstone. */
export interface ObjectState extends Pick<StoredObject, "id" | "className" | "readers"> {
  readonly state: "live" | "recycled" | "deleted";
}

/**
 * The statements of an adapter in a transaction that excludes other writers of objects: `objectWrites` and `deletionWrites` hold the
 * rules above them. Reads see the writes before them. Unknown ids are absent; known ones come once, by ascending number.
 */
export interface ObjectWriter<Read extends ReadObject> {
  /** The clock of the storage, milliseconds since 1970. */
  readonly now: number;

  /** The stamp of all writes of the transaction. */
  stamp(): Promise<number>;

  /** Takes numbers for new objects. Returns the first one. No number is given twice. */
  numbers(count: number): Promise<number>;

  objects(ids: readonly ObjectId[]): Promise<Read[]>;
  outlines(ids: readonly ObjectId[]): Promise<ObjectOutline[]>;

  /** In any order. */
  states(ids: readonly ObjectId[]): Promise<ObjectState[]>;

  /** Whether an object, live, deleted or forgotten, has one of the UUIDs, which are in lower case. */
  isTaken(uuids: readonly string[]): Promise<boolean>;

  /** The live sessions that lock some of the objects. */
  lockedBy(ids: readonly ObjectId[]): Promise<ReadonlyMap<ObjectId, Digest>>;

  recycled(ids: readonly ObjectId[]): Promise<Read[]>;

  /** The recycled objects that were deleted with this one; none if it is not recycled. */
  recycledWith(id: ObjectId): Promise<Read[]>;

  /** The number of recycled objects that a user has deleted. */
  countRecycledBy(user: ObjectId): Promise<number>;

  histories(objects: readonly Read[]): Promise<ReaderHistory[]>;

  /** Adds entries, or replaces their readers, and removes entries. */
  keepFormerReaders(entries: readonly FormerReadersEntry[], removed: readonly FormerReadersEntry[]): Promise<void>;

  /** Adds objects that are new, or restored ones in place of their tombstones. */
  add(objects: readonly LinkedObject[], how: { readonly restored: boolean }): Promise<void>;

  replace(changed: readonly ChangedObject<Read>[]): Promise<void>;

  /** Removes links, but no values of attributes. */
  unlink(links: readonly Referrer[]): Promise<void>;

  /** Replaces live objects, their links and locks by tombstones. `object` has the version and time of the deletion. */
  bury(buried: readonly Omit<ChangedObject<Read>, "links">[], how: DeleteOptions): Promise<void>;

  /** Removes the attributes of recycled objects, with the next version and the current time. */
  purge(ids: readonly ObjectId[]): Promise<void>;

  /** Forgets up to a time, see `DeletionRepository.sweep`. */
  sweep(until: number, limit: number): Promise<number>;
}

/** Runs work in such a transaction. Throws `OutdatedModelError` for a write that was prepared under another model. */
export type WriteObjects<Read extends ReadObject> = <T>(
  work: (writer: ObjectWriter<Read>) => Promise<T>,
  by?: Pick<Writing, "modelGeneration">,
) => Promise<T>;

export function nextVersion(object: StoredObject, storedAt: number, changes: Partial<StoredObject> = {}): StoredObject {
  return Object.freeze({ ...object, ...changes, version: object.version + 1, storedAt });
}

/**
 * Keeps the readers of objects before the transaction changes them or restores the objects. An object that it has created has none.
 * Earlier entries keep only other readers, so that each reader is in the last entry that ended its access, and the entries of an object
 * never hold more readers than it had.
 */
export async function keepReaders<Read extends ReadObject>(
  writer: ObjectWriter<Read>,
  changing: readonly Read[],
): Promise<void> {
  if (changing.length === 0) return;
  const stamp = await writer.stamp();
  const additions: FormerReadersEntry[] = [];
  const removed: FormerReadersEntry[] = [];
  for (const { object, isNew, entries } of await writer.histories(changing)) {
    if (isNew || entries.some((entry) => entry.stamp === stamp)) continue;
    const { id, className, readers } = object;
    for (const entry of entries) {
      if (entry.readers === null && readers !== null) continue;
      const former = entry.readers ?? [];
      const left = former.filter((each) => readers === null || !readers.includes(each));
      if (left.length === 0) removed.push(entry);
      else if (left.length < former.length) additions.push({ ...entry, readers: left });
    }
    additions.push({ id, className, readers, stamp, changedAt: writer.now });
  }
  await writer.keepFormerReaders(additions, removed);
}
