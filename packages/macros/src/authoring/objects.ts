/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** An object as clients see it: meta-fields such as `~ObjectID`, then attributes. `versionOf` returns its version. */
export interface ObjectJson {
  readonly "~ObjectID": string;
  /** Absent if `serialization` has type `oid`. Nested objects have it only if `custom` names it. */
  readonly "~UUID"?: string;
  // The model defines the attributes.
  readonly [attribute: string]: any; // oxlint-disable-line typescript/no-explicit-any
}

/** A list of objects as clients see it. */
export interface ObjectList {
  /** Number of matching objects. */
  readonly "~Count": number;
  readonly "~Elements": readonly ObjectJson[];
  /** Cursor of the next page, absent at the end of the list. */
  readonly "~Cursor"?: string;
  readonly [field: string]: unknown;
}

export interface ReadOptions {
  /** Output format, as in the parameter `serialization`: `{ type: "full", depth: 2 }`. */
  readonly serialization?: Json;
  /** Locks the objects against other writers until the transaction ends. Needs a transaction. */
  readonly forUpdate?: boolean;
}

/** The parameters of a list request. */
export interface FindOptions extends ReadOptions {
  readonly where?: Json;
  readonly sort?: readonly string[];
  /** Restricts the list to these object ids. */
  readonly oids?: readonly string[];
  /** Name of a find hook. */
  readonly macro?: string;
  readonly page?: number;
  readonly perPage?: number;
  readonly cursor?: string;
  readonly count?: "exact" | "capped";
}

export interface ObjectLock {
  readonly isLocked: boolean;
  readonly messages: readonly string[];
  /** Whether the caller's session holds the lock. Absent if unlocked, like the others. */
  readonly isOwn?: boolean;
  /** Time of the lock, in the form of `~StoreTime`. */
  readonly since?: string;
  /** Id of the user whose session holds the lock, if the caller can see the user. */
  readonly userId?: string;
}

/** Ids of users and groups that can see the object; `null`: all with access to its class. See `versionOf`. */
export interface ObjectReaders {
  readonly readers: readonly string[] | null;
}

/** An object or its id. */
export type ObjectReference = string | ObjectJson;

/**
 * The objects of the database, with the caller's rights. A failure throws a `Refusal` with the code that a client would
 * get: 304 for an unknown object, 404 for a missing write right, 713 for a locked object or a version conflict.
 */
export interface Objects {
  get(object: ObjectReference, options?: ReadOptions): Promise<ObjectJson>;
  find(className: string, options?: FindOptions): Promise<ObjectList>;
  create(
    className: string,
    attributes: { readonly [name: string]: unknown },
    options?: { readonly serialization?: Json },
  ): Promise<ObjectJson>;
  /** `version`: the expected version, from `versionOf`. A different one throws 713. */
  update(
    object: ObjectReference,
    attributes: { readonly [name: string]: unknown },
    options?: { readonly version?: number | undefined; readonly serialization?: Json },
  ): Promise<ObjectJson>;
  /** Requires the right to write the object. */
  readers(object: ObjectReference): Promise<ObjectReaders>;
  /** Replaces the readers. Callers without administrator rights must stay among them, directly or through a group. */
  setReaders(
    object: ObjectReference,
    readers: readonly ObjectReference[] | null,
    options?: { readonly version?: number | undefined },
  ): Promise<ObjectReaders>;
  delete(
    object: ObjectReference,
    options?: { readonly moveToRecycler?: boolean; readonly version?: number | undefined },
  ): Promise<void>;
  lock(object: ObjectReference): Promise<ObjectLock>;
  unlock(object: ObjectReference): Promise<ObjectLock>;
}

const versions = new WeakMap<object, number>();
// Bound early: every module shares the prototype and can replace its methods.
const find = versions.get.bind(versions);
const cache = versions.set.bind(versions);

/** The version of an object that was read: `objects.update(object, changes, { version: versionOf(object) })`. */
export function versionOf(object: object): number | undefined {
  return find(object);
}

/** Stores the version of an object that was read. */
export function cacheVersion(object: object, version: number): void {
  cache(object, version);
}
