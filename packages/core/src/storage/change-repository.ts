import type { ObjectId } from "./entities/object-id.ts";
import type { StoredObject } from "./entities/stored-object.ts";

/**
 * Port: which objects were written and which are gone, in an order that can be followed from a place reached before. Of
 * every object the last change is known, and no other. All of them are told, whoever may see the objects.
 */
export interface ChangeRepository {
  /**
   * The stamp up to which everything is there: no change with this stamp or a lower one appears after this was answered,
   * whatever is still at work. It comes up to every stamp as soon as the transactions that began to write before it are
   * over, and never runs backwards. For a transaction that has written itself it is below its own stamp.
   */
  watermark(): Promise<number>;

  /**
   * The first changes after a place, at most `limit`, with stamps up to `upTo`, in their order. As far as a watermark
   * that was asked for before, nothing is missing in them and nothing follows later, but for objects that are written
   * again: they have moved to a higher stamp. What was taken back never shows.
   */
  read(after: ChangePosition, upTo: number, limit: number): Promise<Change[]>;
}

/** That an object was written, or is gone. */
export interface Change extends Pick<StoredObject, "id" | "uuid" | "className"> {
  /** When, in the order of changes: a positive whole number. What one transaction writes has one stamp. */
  readonly stamp: number;
  /** Of the object as it was written, or of its deletion. */
  readonly version: number;
  /** `recycled`: it is gone, and can be restored. */
  readonly kind: "stored" | "recycled" | "deleted";
}

/** A place between changes. They are ordered by stamp and, where that is the same, by object number. */
export interface ChangePosition {
  readonly stamp: number;
  /** The place is behind this object; `null`: behind all objects of the stamp. */
  readonly id: ObjectId | null;
}

/** The place before every change. */
export const beforeAllChanges: ChangePosition = { stamp: 0, id: null };
