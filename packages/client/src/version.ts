/** Versions of what single answers have brought, by the object that the caller holds. */
const versions = new WeakMap<object, string>();

/** What was read before it is changed: itself, or its version as `etag` tells it. */
export type ReadBefore = object | string;

/** What a write may depend on. */
export interface ConditionOptions {
  /**
   * What was read before, as the client gave it, or its version (`versionOf`, `etag`). If it has changed since, the write is refused
   * with 713. Without it, the last write wins.
   */
  readonly ifMatch?: ReadBefore | undefined;
}

/** Remembers the version of what an answer has brought. */
export function withVersion<T extends object>(data: T, etag: string | undefined): T {
  if (etag !== undefined) versions.set(data, etag);
  return data;
}

/**
 * The version of an object, or of the structure of the classes, that a call of the client has given alone; for `ifMatch`,
 * later or elsewhere. `undefined` for elements of lists, copies and everything else.
 */
export function versionOf(data: object): string | undefined {
  return versions.get(data);
}

/** The header that lets a write pass only if nothing has changed since. Throws a `TypeError` if the version is not known. */
export function ifMatchHeader(before: ReadBefore | undefined): Record<string, string> {
  if (before === undefined) return {};
  const version = typeof before === "string" ? before : versionOf(before);
  if (version === undefined)
    throw new TypeError("The version is not known: read the object by itself, and pass what came.");
  return { "if-match": version };
}
