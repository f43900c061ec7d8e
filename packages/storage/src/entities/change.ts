import type { ObjectId } from "./object-id.ts";
import type { StoredObject } from "./stored-object.ts";

/** Selects changes. */
export interface ChangeQuery {
  /** Only changes of objects of exactly these classes. */
  readonly classes: readonly string[];
  readonly after: ChangePosition;
  /** The highest stamp to return. */
  readonly upTo: number;
  /** Maximum number of changes. */
  readonly limit: number;
}

export interface ChangePage {
  /** At most `limit` changes; fewer if no other follows. */
  readonly changes: readonly Change[];
  /**
   * The highest stamp of what `deletion.sweep` has removed; 0 if nothing. After a position with a lower stamp, the page
   * can lack deletions and readers of before. Stored objects are never missing.
   */
  readonly swept: number;
}

/** A write or a deletion of an object. */
export interface Change extends Pick<StoredObject, "id" | "uuid" | "className"> {
  /** Position in the order of changes: a positive integer. All writes of one transaction have the same stamp. */
  readonly stamp: number;
  /** Current version of the object; if it is deleted, that of the deletion. */
  readonly version: number;
  /**
   * `recycled`: deleted, but restorable. `superseded`: the readers were changed at this stamp, and the object was
   * changed again later. That change has a row of its own at a higher stamp.
   */
  readonly kind: "stored" | "recycled" | "deleted" | "superseded";
  /** Current readers, for a deleted object those at its deletion. `null`: no list. */
  readonly readers: readonly ObjectId[] | null;
  /**
   * The readers before the transaction of this stamp. Empty if that transaction created the object, otherwise equal to
   * `readers` unless it changed them. They are forgotten with `deletion.sweep`.
   */
  readonly readersBefore: readonly ObjectId[] | null;
  /** Whether the transaction of this stamp restored the object or changed its readers: others than before can see it. */
  readonly reveals: boolean;
}

/** A position between changes. Changes are ordered by stamp, then by object number. */
export interface ChangePosition {
  readonly stamp: number;
  /** The position is after this object; `null`: after all objects of the stamp. */
  readonly id: ObjectId | null;
}

/** The position before the first change. */
export const beforeAllChanges: ChangePosition = { stamp: 0, id: null };
