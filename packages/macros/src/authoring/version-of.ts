const versions = new WeakMap<object, number>();

/** The version that an object had when it was read, for `objects.update(object, attributes, { version: versionOf(object) })`. */
export function versionOf(object: object): number | undefined {
  return versions.get(object);
}

/** Remembers the version of an object that was read. */
export function rememberVersion(object: object, version: number): void {
  versions.set(object, version);
}
