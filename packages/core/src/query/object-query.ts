import type { ObjectId } from "../objects/object-id.ts";
import type { StoredObject } from "../objects/stored-object.ts";
import type { Filter, Scalar } from "./filter.ts";
import type { ValuePath } from "./value-path.ts";

/**
 * One thing to sort by: of type string, number, boolean, date, or a meta-field. Texts are ordered by their code points,
 * `false` before `true`; missing and null are the same and come before everything else. `descending` turns all of that round.
 */
export interface SortKey {
  readonly path: ValuePath;
  readonly descending: boolean;
}

/** What is asked of storage: objects of exactly these classes (subclasses are listed by the caller). */
export interface ObjectQuery {
  readonly classes: readonly string[];
  /** All of them unless given. */
  readonly filter?: Filter;
  /** What these keys leave open is ordered by ascending object number. */
  readonly sort?: readonly SortKey[];
}

/** The place of an object in the order of a query; one that changes or goes leaves its place behind. */
export interface Position {
  /** The values of the sort keys; null stands for a missing one, too. */
  readonly values: readonly (Scalar | null)[];
  readonly id: ObjectId;
}

/**
 * A part of a list of at most `limit` objects: `offset` objects are skipped, or all up to and with a position. Numbers
 * are whole and not negative.
 */
export type Page =
  | { readonly offset: number; readonly limit: number }
  | { readonly after: Position; readonly limit: number };

/** A page as it was found. */
export interface ObjectPage {
  readonly objects: readonly StoredObject[];
  /** Where the last of them stands; `null` when there are none. */
  readonly last: Position | null;
}
