import type { ObjectId } from "../objects/object-id.ts";

/** A place between changes. They are ordered by stamp and, where that is the same, by object number. */
export interface ChangePosition {
  readonly stamp: number;
  /** The place is behind this object; `null`: behind all objects of the stamp. */
  readonly id: ObjectId | null;
}

/** The place before every change. */
export const beforeAllChanges: ChangePosition = { stamp: 0, id: null };
