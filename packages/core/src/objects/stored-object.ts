import type { Links } from "./links.ts";
import type { ObjectId } from "./object-id.ts";

/** A JSON value as it is stored. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/**
 * Attribute values by name. A reference is the id of its target, a collection an array of ids, a date an ISO 8601
 * text; a member that is absent was never set.
 */
export type Attributes = { readonly [name: string]: JsonValue };

/** A business object as storage holds it. */
export interface StoredObject {
  readonly id: ObjectId;
  /** Lower case. */
  readonly uuid: string;
  readonly className: string;
  /** Time of the last write by the storage's clock, milliseconds since 1970. */
  readonly storedAt: number;
  /** 1 at creation, one more with every write. */
  readonly version: number;
  readonly attributes: Attributes;
  /** Ids of the users and groups that alone may see the object; `null` leaves it to the rights of the class. */
  readonly readers: readonly ObjectId[] | null;
}

/** An object to be created; storage gives it its id, version and time. */
export interface NewObject {
  readonly className: string;
  readonly attributes: Attributes;
  /** What its references and collections point to; nothing unless given. */
  readonly links?: Links;
  /** A new random one unless given. */
  readonly uuid?: string;
  readonly readers?: readonly ObjectId[] | null;
}
