/** Anything that JSON can say. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** An object as clients see it: `~ObjectID` and other meta-fields, then its attributes. `versionOf` tells its version. */
export interface ObjectJson {
  readonly "~ObjectID": string;
  /** Objects that were asked for have it, unless by `serialization` of type `oid`; those in them, where `custom` fields name it. */
  readonly "~UUID"?: string;
  // What is in it is the model's matter.
  readonly [attribute: string]: any; // oxlint-disable-line typescript/no-explicit-any
}

/** A list of objects as clients see it. */
export interface ObjectList {
  /** Objects that match. */
  readonly "~Count": number;
  readonly "~Elements": readonly ObjectJson[];
  /** Where the list goes on. */
  readonly "~Cursor"?: string;
  readonly [field: string]: unknown;
}

export interface ReadOptions {
  /** How objects are written, as in the parameter `serialization`: `{ type: "full", depth: 2 }`. */
  readonly serialization?: Json;
  /** Holds what is read against other writers until the end. */
  readonly hold?: boolean;
}

/** What the query string of a list can say. */
export interface FindOptions extends ReadOptions {
  readonly where?: Json;
  readonly sort?: readonly string[];
  /** Only those of these objects. */
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
}

/** Who alone may see an object, as ids of users and groups; `null` for all whom its class lets. `versionOf` tells the version of the object. */
export interface ObjectReaders {
  readonly readers: readonly string[] | null;
}

/** An object, or the id of one. */
export type ObjectReference = string | ObjectJson;

/**
 * The objects of the database, with the caller's rights. What is refused is thrown as a `Refusal` with the code that a
 * client would get: 304 when there is no such object, 404 when it may not be written, 713 when it is locked or another version.
 */
export interface Objects {
  get(object: ObjectReference, options?: ReadOptions): Promise<ObjectJson>;
  find(className: string, options?: FindOptions): Promise<ObjectList>;
  create(
    className: string,
    attributes: { readonly [name: string]: unknown },
    options?: { readonly serialization?: Json },
  ): Promise<ObjectJson>;
  /** `version`: the version that the object must still have, as `versionOf` told it. */
  update(
    object: ObjectReference,
    attributes: { readonly [name: string]: unknown },
    options?: { readonly version?: number | undefined; readonly serialization?: Json },
  ): Promise<ObjectJson>;
  /** For callers who may write the object. */
  readers(object: ObjectReference): Promise<ObjectReaders>;
  /** Replaces the readers. The caller stays among them, alone or with a group, unless an administrator does it. */
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
// Bound now: modules share the prototype.
const find = versions.get.bind(versions);
const remember = versions.set.bind(versions);

/** The version that an object had when it was read, for `objects.update(object, attributes, { version: versionOf(object) })`. */
export function versionOf(object: object): number | undefined {
  return find(object);
}

/** Remembers the version of an object that was read. */
export function cacheVersion(object: object, version: number): void {
  remember(object, version);
}
