import type { AttributeType } from "./class-definition.ts";
import type { ObjectId } from "./object-id.ts";
import type { JsonValue, StoredObject } from "./stored-object.ts";

/**
 * A sort key: a string, number, boolean, date or meta-field. Strings sort by code point, `false` before `true`. Missing
 * and null values are equal and come first. `descending` reverses the whole order.
 */
export interface SortKey {
  readonly path: ValuePath;
  readonly descending: boolean;
}

/** A query for objects of exactly these classes. The caller lists subclasses explicitly. */
export interface ObjectQuery {
  readonly classes: readonly string[];
  /** Default: all objects. */
  readonly filter?: Filter;
  /** Ties are ordered by ascending object number. */
  readonly sort?: readonly SortKey[];
}

/** A query that counts objects. */
export interface CountQuery extends ObjectQuery {
  /** `true`: counts recycled objects instead of live ones, without the filter. */
  readonly recycled?: boolean;
}

/** A position in the order of a query. It stays valid after its object is changed or deleted. */
export interface Position {
  /** Values of the sort keys. Missing values are null. */
  readonly values: readonly (Scalar | null)[];
  readonly id: ObjectId;
}

/**
 * A page of at most `limit` objects. Skips `offset` objects, or all objects up to and including a position. Numbers are
 * non-negative integers.
 */
export type Page =
  | { readonly offset: number; readonly limit: number }
  | { readonly after: Position; readonly limit: number };

export interface ObjectPage {
  readonly objects: readonly StoredObject[];
  /** Position of the last object; `null` if the page is empty. */
  readonly last: Position | null;
  /** The count for `PageUse.countTo`. Absent if the storage did not count. */
  readonly count?: number;
}

/** What a page is read for. A storage may ignore it. */
export interface PageUse {
  /** The reader looks into few objects, so that they can be `UnparsedObject`s. */
  readonly unparsed?: boolean | undefined;
  /** The number of matching objects is wanted, too, unless the page itself tells it. Counting stops here. */
  readonly countTo?: number | undefined;
  /**
   * The reader needs the beginnings of long texts only. A storage can return `{"~Cut": beginning, "~Length": characters}` for the
   * values of these attributes that are texts with more characters. For `bytes`, that counts in place of the text.
   */
  readonly cut?: { readonly characters: number; readonly texts: readonly string[] } | undefined;
}

/**
 * An ordered value: a string, a class name, a UUID (lower case), a canonical date text, a number, a time in
 * milliseconds since 1970, a boolean, or an object id (ordered by number).
 */
export type Scalar = string | number | boolean;

export type Comparison = "gt" | "gte" | "lt" | "lte";

/**
 * A condition on objects, validated against the model. Operands have the type of their path, and texts are storable. A
 * filter is true or false, never unknown: it is false unless a case below says true.
 */
export type Filter =
  /** All filters are true. True if the list is empty. */
  | { readonly kind: "all"; readonly filters: readonly Filter[] }
  /** At least one filter is true. False if the list is empty. */
  | { readonly kind: "any"; readonly filters: readonly Filter[] }
  | { readonly kind: "not"; readonly filter: Filter }
  /** The attribute is set; its value may be null. */
  | { readonly kind: "present"; readonly path: ValuePath }
  /** The value is missing or null. For a reference or a file: also if the target is not live and visible. */
  | { readonly kind: "empty"; readonly path: ValuePath }
  /**
   * The value equals one of these non-null values. JSON values compare by members, in any order. References and files
   * compare by the stored ids.
   */
  | { readonly kind: "oneOf"; readonly path: ValuePath; readonly values: readonly JsonValue[] }
  /** The value compares with the operand in sort order. Not for JSON, links or collections. */
  | { readonly kind: "compare"; readonly path: ValuePath; readonly operator: Comparison; readonly value: Scalar }
  /** The text matches the pattern: `%` is any characters, `_` is one character, `\` escapes the next one. A pattern does not end with a single `\`. */
  | { readonly kind: "like"; readonly path: ValuePath; readonly pattern: string }
  /** The text contains this substring, or the collection contains this object id. */
  | { readonly kind: "contains"; readonly path: ValuePath; readonly value: string };

export type MetaType = "id" | "uuid" | "class" | "time";

/** Type of the value at a path: an attribute type or a meta-field type. */
export type ValueType = AttributeType | MetaType;

/** A step of a path through a reference. */
export interface Hop {
  /** Name of an attribute of type `reference`. */
  readonly reference: string;
  /** Allowed classes of the target, including subclasses. Targets of other classes are not followed. */
  readonly classes: readonly string[];
}

/**
 * Path to a value: references to follow in order, then an attribute or a meta-field of the last object. All names are
 * in the model. The value is missing if a reference on the path is missing, null or has no live and visible target.
 */
export interface ValuePath {
  readonly hops: readonly Hop[];
  /** Name of an attribute, or `~ObjectID`, `~UUID`, `~ClassName`, `~StoreTime`. */
  readonly leaf: string;
  readonly type: ValueType;
  /**
   * Whether the path is an attribute of the queried objects with an index in all queried classes. A hint for the query
   * plan; the result does not depend on it.
   */
  readonly indexed?: boolean;
}

/** The first characters of a text, at most this many: an index can have less than the whole text. */
export function firstCharacters(text: string, atMost: number): string {
  if (text.length <= atMost) return text;
  // A character is one or two UTF-16 units.
  const characters = Array.from(text.slice(0, 2 * atMost));
  return characters.slice(0, atMost).join("");
}

/** The beginning that all matches of a pattern have: its characters before the first `%` or `_`. */
export function literalPrefix(pattern: string): string {
  const [literal = ""] = /^(?:[^%_\\]|\\.)*/su.exec(pattern) ?? [];
  return literal.replaceAll(/\\(.)/gsu, "$1");
}
