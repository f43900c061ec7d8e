import type { ObjectId } from "./entities/object-id.ts";
import type { StoredObject } from "./entities/stored-object.ts";

/**
 * Port: the ordered feed of written and deleted objects, readable from any position. Contains only the latest change of
 * each object. Applies no visibility: it returns the changes of all objects.
 */
export interface ChangeRepository {
  /**
   * Returns the highest stamp at or below which no new change can appear, even if transactions are still open. The
   * watermark reaches a stamp once the transactions that began writing before it have ended. It never decreases. Inside
   * a transaction that has written, it is below the stamp of that transaction.
   */
  watermark(): Promise<number>;

  /**
   * Returns at most `limit` changes after a position with stamps up to `upTo`, in order. The result is complete up to a
   * watermark read before. An object that is written again moves to a higher stamp. Changes of rolled-back transactions
   * never appear.
   */
  read(after: ChangePosition, upTo: number, limit: number): Promise<Change[]>;
}

/** A write or a deletion of an object. */
export interface Change extends Pick<StoredObject, "id" | "uuid" | "className"> {
  /** Position in the order of changes: a positive integer. All writes of one transaction have the same stamp. */
  readonly stamp: number;
  /** Version of the object after the write or the deletion. */
  readonly version: number;
  /** `recycled`: deleted, but restorable. */
  readonly kind: "stored" | "recycled" | "deleted";
}

/** A position between changes. Changes are ordered by stamp, then by object number. */
export interface ChangePosition {
  readonly stamp: number;
  /** The position is after this object; `null`: after all objects of the stamp. */
  readonly id: ObjectId | null;
}

/** The position before the first change. */
export const beforeAllChanges: ChangePosition = { stamp: 0, id: null };
