import type { Digest } from "../digests/index.ts";
import type { ObjectId, SingleReference } from "../entities/object-id.ts";
import type { Attributes, Links, ObjectOutline, StoredObject, Writing } from "../entities/stored-object.ts";
import type { CancellableRead, Visibility, VisibleRead } from "../entities/visibility.ts";

/** Selects the links to return. */
export interface ReferrerQuery {
  /** Only attributes of exactly these classes; `null` for all. */
  readonly attributes: readonly Pick<Referrer, "className" | "attribute">[] | null;
  /** Maximum number of links. */
  readonly limit: number;
}

/** Options of a deletion. */
export interface DeleteOptions {
  /** `true` keeps the attributes, so that the objects can be restored. */
  readonly recycled: boolean;
  /** The object whose deletion includes the others. */
  readonly root: ObjectId;
  /** The deleting user. Default `null`: unknown, and recycled objects count for no user. */
  readonly deletedBy?: ObjectId | null;
  /** Maximum number of objects of `deletedBy` in the recycle bin after this call. Default 0: unlimited. */
  readonly quota?: number;
}

/** Selects entries of the recycle bin. */
export interface TrashQuery {
  /** Only objects recycled by this user; `null` for all. */
  readonly deletedBy: ObjectId | null;
  /** Only objects that the caller could read before the deletion. */
  readonly visibility: Visibility;
  /** Start after this entry; `null` from the first. */
  readonly after: Pick<RecycledRoot, "id" | "deletedAt"> | null;
  readonly limit: number;
}

/**
 * Port: deletion, tombstones and restoration of objects. A deleted object leaves a tombstone that reserves its id and
 * UUID until it is swept, which keeps both reserved. A recycled object also keeps its attributes, and references to it
 * stay unchanged. A deletion or restoration takes several calls in one transaction. The rows they select stay locked until its end.
 */
export interface DeletionRepository {
  /**
   * Locks the live objects among these ids and returns their outlines by ascending number. Until the transaction ends,
   * no other transaction can write, lock, delete or reference them, and later reads in the transaction return the same
   * values. Waits for conflicting transactions. `OutdatedModelError` under an outdated model.
   */
  lock(ids: readonly ObjectId[], by?: Pick<Writing, "modelGeneration">): Promise<LockedRow[]>;

  /** Returns the objects that reference these objects, each link once. Excludes the objects themselves. */
  referrers(ids: readonly ObjectId[], query: ReferrerQuery): Promise<Referrer[]>;

  /** Removes the targets from the attributes: a reference becomes null, a collection loses the members. Counts as one write per object. */
  clear(links: readonly Referrer[]): Promise<void>;

  /**
   * Deletes live objects with their links and locks, as one group under `root`. Recycled objects keep their references
   * for a restoration. Clear the references to objects that are deleted permanently before this call. `full`, without
   * any change, if the user would exceed `quota`. The quota is exact across concurrent calls in all processes.
   */
  delete(ids: readonly ObjectId[], how: DeleteOptions): Promise<"deleted" | "full">;

  /** The tombstone of a deleted object if the caller could read the object; else `null`. */
  find(reference: SingleReference, visibility: VisibleRead): Promise<Tombstone | null>;

  /**
   * Returns the recycled objects deleted together with this one, including itself, by ascending number. They have the
   * version of the deletion, and are otherwise unchanged. Empty if the object is not recycled. Locks them like `lock`.
   */
  recycledWith(id: ObjectId, by?: Pick<Writing, "modelGeneration">): Promise<StoredObject[]>;

  /** State of each known id, once, in any order. Unknown ids are absent. Locks live objects against deletion. */
  targets(ids: readonly ObjectId[]): Promise<LinkTarget[]>;

  /** Entries of the recycle bin: the roots of deletions, newest first, then by descending number. */
  listRecycled(page: TrashQuery, options?: CancellableRead): Promise<RecycledRoot[]>;

  /**
   * Deletes recycled objects permanently, with the next version and the current time. `deletedBy` stays. Pass only
   * objects returned by `recycledWith` in the same transaction. Clear the references to them first.
   */
  purge(ids: readonly ObjectId[]): Promise<void>;

  /**
   * Restores recycled objects and returns them in the given order, each with the next version and the current time.
   * Pass only objects returned by `recycledWith` in the same transaction.
   */
  restore(objects: readonly Restoration[]): Promise<StoredObject[]>;

  /**
   * Forgets tombstones of permanently deleted objects, then readers before changes (`Change.readersBefore`), that are at
   * least `age` milliseconds old: at most `limit`, the oldest first. Returns their number. It does not count the readers
   * before that it forgets with their tombstone. Ids and UUIDs stay reserved. `ChangePage.swept` has the highest
   * forgotten stamp.
   */
  sweep(age: number, limit: number): Promise<number>;
}

/** The tombstone of a deleted object. */
export interface Tombstone extends Pick<StoredObject, "id" | "uuid" | "className"> {
  /** One higher than the last version of the object. */
  readonly version: number;
  /** Milliseconds since 1970, by the storage's clock. */
  readonly deletedAt: number;
  /** `recycled`: restorable. */
  readonly kind: "recycled" | "deleted";
  /** The deleting user; `null` if unknown. */
  readonly deletedBy: ObjectId | null;
}

/** The root of a deletion in the recycle bin. */
export type RecycledRoot = Omit<Tombstone, "kind">;

/** A live object, locked for update. */
export interface LockedRow {
  readonly object: ObjectOutline;
  /** Digest of the live session with a lock on the object; `null` if there is none. */
  readonly lockedBy: Digest | null;
}

/** A link from a live object to another object. */
export interface Referrer {
  readonly id: ObjectId;
  readonly className: string;
  /** Name of a reference or a collection. */
  readonly attribute: string;
  readonly target: ObjectId;
}

/** A recycled object to restore. */
export interface Restoration {
  readonly id: ObjectId;
  /** Attributes that differ from the recycled state. The others are restored unchanged. */
  readonly attributes: Attributes;
  /** Links of all its attributes after the restoration. */
  readonly links: Links;
}

/** The target of a link of a recycled object. */
export interface LinkTarget {
  readonly id: ObjectId;
  readonly className: string;
  /** `true` for live and recycled objects, `false` for permanently deleted ones. */
  readonly exists: boolean;
}
