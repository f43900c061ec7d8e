import type { Digest } from "../../digests/index.ts";
import type { AttributeDefinition } from "./class-definition.ts";
import type { ObjectId } from "./object-id.ts";
import type { Visibility } from "./visibility.ts";

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

/** What can be told of an object without reading its attributes. */
export interface ObjectOutline extends Pick<StoredObject, "id" | "uuid" | "className" | "version" | "storedAt"> {
  /** What its attributes take, as `maximumObjectBytes` counts it. */
  readonly bytes: number;
}

/** By attribute, the ids that its value holds; an attribute that points to nothing has none. */
export interface Links {
  readonly [attribute: string]: readonly ObjectId[];
}

/** The ids that attributes hold as references and members of collections; of the given definitions those that are set. */
export function linksOf(attributes: Attributes, definitions: readonly AttributeDefinition[]): Links {
  const set = definitions.filter(({ name }) => Object.hasOwn(attributes, name));
  return Object.fromEntries(set.map(({ name }) => [name, idsOf(attributes, name)]));
}

/** The ids that are the value of an attribute: one as a reference, any number as a collection. */
export function idsOf(attributes: Attributes, name: string): ObjectId[] {
  const value = Object.hasOwn(attributes, name) ? attributes[name] : null;
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((id) => typeof id === "string") : [];
}

/** What is to become of one object. */
export interface ObjectChange {
  readonly id: ObjectId;
  /** The attributes to set; the others stay. */
  readonly attributes: Attributes;
  /** The links of those among them that are references or collections; `[]` for one that points to nothing. */
  readonly links: Links;
  /** Who alone may see the object from now on, `null` for all whom its class lets; as it is unless given. */
  readonly readers?: readonly ObjectId[] | null;
  /** Versions that the object may have; `null` for any. */
  readonly expectedVersions: readonly number[] | null;
}

/** On whose behalf objects are written. */
export interface Writing {
  /** Locks of other sessions refuse; with `null`, those of any session. */
  readonly session: Digest | null;
  /** Generation of the model that the write was prepared under; it is refused when another is current. Not asked unless given. */
  readonly modelGeneration?: number;
  /** The class that the objects have to be of; those of another one are refused like those that are not visible. */
  readonly className?: string;
  /**
   * What the writer sees: objects that are not visible are refused as if they had never been there, or were gone, and members of
   * collections that are not visible stay. All are visible unless given.
   */
  readonly visibility?: Visibility;
}

/**
 * An object as clients see it: its meta-fields `~ClassName`, `~ObjectID`, `~UUID` and `~StoreTime`, then those attributes of its
 * class that were ever set; or less, if less was asked for. Below another object, `~UUID` is there only if it was asked for.
 */
export interface SerializedObject {
  readonly "~ObjectID": string;
  readonly [attribute: string]: JsonValue | SerializedObject | SerializedCollection;
}

/** A list of objects as clients see it. */
export interface SerializedCollection {
  /** Elements that match. */
  readonly "~Count": number;
  /** Elements there are, as far as the caller may see them. */
  readonly "~UnfilteredCount": number;
  readonly "~Elements": readonly SerializedObject[];
}
