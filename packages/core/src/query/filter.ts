import type { JsonValue } from "../objects/stored-object.ts";
import type { ValuePath } from "./value-path.ts";

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
