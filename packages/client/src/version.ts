/** Versions of single objects in responses, by the object that the caller has. */
const versions = new WeakMap<object, string>();

/** An object read before, or its version (ETag). */
export type ObjectOrVersion = object | string;

/** Options of a conditional write. */
export interface ConditionOptions {
  /**
   * The object as returned by the client, or its version (`versionOf`, `etag`). The write is refused with 713 if the
   * object has changed since. Without it, the last write wins.
   */
  readonly ifMatch?: ObjectOrVersion | undefined;
}

/** Caches the version of a response. */
export function withVersion<T>(data: T, etag: string | undefined): T {
  if (etag !== undefined && typeof data === "object" && data !== null) versions.set(data, etag);
  return data;
}

/**
 * The version of an object, or of the class structure, for `ifMatch`. It is known only for results of single reads and
 * writes: `undefined` for list elements, copies and other values.
 */
export function versionOf(data: object): string | undefined {
  return versions.get(data);
}

/** The `if-match` header of a conditional write. Throws a `TypeError` if the version is unknown. */
export function ifMatchHeader(before: ObjectOrVersion | undefined): Record<string, string> {
  if (before === undefined) return {};
  const version = typeof before === "string" ? before : versionOf(before);
  if (version === undefined)
    throw new TypeError("The version of the object is unknown. Get the object first, and pass the result.");
  return { "if-match": version };
}
