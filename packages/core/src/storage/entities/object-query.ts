import type { AttributeType } from "./class-definition.ts";
import type { ObjectId } from "./object-id.ts";
import type { JsonValue, StoredObject } from "./stored-object.ts";

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

/**
 * A value that has an order: texts of strings, classes and UUIDs (lower case), canonical texts of dates, numbers, milliseconds since
 * 1970 of times, booleans, object ids (ordered by their numbers).
 */
export type Scalar = string | number | boolean;

export type Comparison = "gt" | "gte" | "lt" | "lte";

/**
 * Which objects are meant: checked against the model, with operands of the type of their paths and texts that are
 * storable. Each filter is true or false of an object, never unknown: what is not listed as true is false.
 */
export type Filter =
  /** All of them are true; so it is when there are none. */
  | { readonly kind: "all"; readonly filters: readonly Filter[] }
  /** One of them is true; so it is not when there are none. */
  | { readonly kind: "any"; readonly filters: readonly Filter[] }
  | { readonly kind: "not"; readonly filter: Filter }
  /** The attribute is there, null or not. */
  | { readonly kind: "present"; readonly path: ValuePath }
  /** The value is missing or null. Of a reference or a file: also when it leads to nothing that is live and visible. */
  | { readonly kind: "empty"; readonly path: ValuePath }
  /**
   * The value is one of these, none of which is null. JSON values are the same when their members are, in whatever
   * order. References and files are compared by the ids as they are stored.
   */
  | { readonly kind: "oneOf"; readonly path: ValuePath; readonly values: readonly JsonValue[] }
  /** The value stands on this side of another one, in the order that lists are sorted by. Not for JSON, links and collections. */
  | { readonly kind: "compare"; readonly path: ValuePath; readonly operator: Comparison; readonly value: Scalar }
  /** The text is like the pattern: `%` stands for any characters, `_` for one, what follows a `\` for itself. It does not end with a single `\`. */
  | { readonly kind: "like"; readonly path: ValuePath; readonly pattern: string }
  /** The text has this part, or the collection this object id. */
  | { readonly kind: "contains"; readonly path: ValuePath; readonly value: string };

/** The meta-fields that can be asked for, by name. */
export type MetaType = "id" | "uuid" | "class" | "time";

/** What kind of value stands at a path: that of an attribute, or that of a meta-field. */
export type ValueType = AttributeType | MetaType;

/** A reference that is followed. */
export interface Hop {
  /** Name of an attribute of type `reference`. */
  readonly reference: string;
  /** Classes of the objects that it can lead to, subclasses among them. To others it is not followed. */
  readonly classes: readonly string[];
}

/**
 * The place of a value: references to follow, one after the other, then an attribute or a meta-field of the object that
 * they lead to. All of them are names of the model. Where a reference on the way is missing, null, or leads to nothing
 * that is live and visible, the value is missing.
 */
export interface ValuePath {
  readonly hops: readonly Hop[];
  /** Name of an attribute, or `~ObjectID`, `~UUID`, `~ClassName`, `~StoreTime`. */
  readonly leaf: string;
  readonly type: ValueType;
  /**
   * Whether it is an attribute of the objects themselves that has an index in all classes that are asked for. It changes
   * nothing about the answer, but how it is found soonest.
   */
  readonly indexed?: boolean;
}
