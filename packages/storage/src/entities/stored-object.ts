import type { Digest } from "../digests/index.ts";
import { brand, ServiceError } from "../errors/index.ts";
import type { AttributeDefinition } from "./class-definition.ts";
import type { ObjectId } from "./object-id.ts";
import { acceptStorable } from "./storable-text.ts";
import type { Visibility } from "./visibility.ts";

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/**
 * Attribute values by name. A reference is the id of its target, a collection is an array of ids, a date is an ISO 8601
 * text. An absent member was never set.
 */
export type Attributes = { readonly [name: string]: JsonValue };

/** A stored business object. */
export interface StoredObject {
  readonly id: ObjectId;
  /** Lower case. */
  readonly uuid: string;
  readonly className: string;
  /** Time of the last write, milliseconds since 1970 by the storage's clock. */
  readonly storedAt: number;
  /** 1 at creation. Each write adds one. */
  readonly version: number;
  readonly attributes: Attributes;
  /** Ids of the users and groups with access to the object; `null` leaves access to the class rights. */
  readonly readers: readonly ObjectId[] | null;
}

/** An object whose attributes are JSON text until they are read. */
export class UnparsedObject implements StoredObject {
  private parsed: Attributes | undefined;

  constructor(
    readonly id: ObjectId,
    readonly uuid: string,
    readonly className: string,
    readonly storedAt: number,
    readonly version: number,
    readonly readers: readonly ObjectId[] | null,
    /** The attributes: an object in JSON. */
    readonly text: string,
  ) {}

  get attributes(): Attributes {
    return (this.parsed ??= JSON.parse(this.text) as Attributes);
  }
}

/** An object to create. Storage assigns id, version and time. */
export interface NewObject {
  readonly className: string;
  readonly attributes: Attributes;
  /** Targets of its references and collections. Default: none. */
  readonly links?: Links;
  /** Default: a random UUID. */
  readonly uuid?: string;
  readonly readers?: readonly ObjectId[] | null;
}

/**
 * 307: a live or deleted object has the UUID of a new one. That object can be as new as this write, so a writer who chose
 * the UUID for one and the same object reads again.
 */
export class UuidTakenError extends ServiceError {
  constructor(cause?: unknown) {
    super(307, { detail: "A UUID is in use.", cause });
  }
}

brand(UuidTakenError, "UuidTakenError");

/** An object without its attributes. */
export interface ObjectOutline extends Pick<StoredObject, "id" | "uuid" | "className" | "version" | "storedAt"> {
  /** Size of its attributes in bytes; see `maximumObjectBytes`. */
  readonly bytes: number;
}

/** Target ids by attribute; empty for an attribute without targets. */
export interface Links {
  readonly [attribute: string]: readonly ObjectId[];
}

/** The target ids of the links in `definitions`. Unset attributes are absent. */
export function linksOf(attributes: Attributes, definitions: readonly AttributeDefinition[]): Links {
  const set = definitions.filter(({ name }) => Object.hasOwn(attributes, name));
  return Object.fromEntries(set.map(({ name }) => [name, idsOf(attributes, name)]));
}

/** The target ids of one attribute: at most one for a reference or a file, any number for a collection. */
export function idsOf(attributes: Attributes, name: string): ObjectId[] {
  const value = Object.hasOwn(attributes, name) ? attributes[name] : null;
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((id) => typeof id === "string") : [];
}

/** A change of one object. */
export interface ObjectChange {
  readonly id: ObjectId;
  /** The attributes to set. Other attributes keep their values. */
  readonly attributes: Attributes;
  /** Links of the attributes to set; `[]` for an attribute without targets. */
  readonly links: Links;
  /** New list of readers; `null` removes the restriction. Unchanged by default. */
  readonly readers?: readonly ObjectId[] | null;
  /** Accepted current versions of the object; `null` for any. */
  readonly expectedVersions: readonly number[] | null;
}

/** Context of a write. */
export interface Writing {
  /** Digest of the writing session. Locks of other sessions refuse the write; `null`: locks of any session do. */
  readonly session: Digest | null;
  /** Model generation of the prepared write. The write fails under another generation. Not checked by default. */
  readonly modelGeneration?: number;
  /** Required class of the objects. Objects of other classes are refused like invisible ones. */
  readonly className?: string;
  /**
   * Visibility of the writer. Invisible objects are refused like nonexistent or deleted ones. Invisible members of
   * collections are kept. Default: all objects are visible.
   */
  readonly visibility?: Visibility;
}

/**
 * An object in an answer: the meta-fields `~ClassName`, `~ObjectID`, `~UUID` and `~StoreTime`, then the set attributes
 * of its class, or the requested subset. A nested object has `~UUID` only on request.
 */
export interface SerializedObject {
  readonly "~ObjectID": string;
  readonly [attribute: string]: JsonValue | SerializedObject | SerializedCollection;
}

/** A list of objects in an answer. */
export interface SerializedCollection {
  /** Number of matching elements. */
  readonly "~Count": number;
  /** Number of all elements visible to the caller. */
  readonly "~UnfilteredCount": number;
  readonly "~Elements": readonly SerializedObject[];
}

/** Checks that all adapters make before an update. 307 for a text that is not storable, 799 for a duplicate object. */
export function acceptChanges(changes: readonly ObjectChange[]): void {
  for (const { attributes } of changes) acceptStorable(attributes);
  if (new Set(changes.map(({ id }) => id)).size < changes.length)
    throw new ServiceError(799, { detail: "An object is changed twice in one write." });
}
