const versions = new WeakMap<object, number>();
// Bound now: modules share the prototype.
const find = versions.get.bind(versions);
const remember = versions.set.bind(versions);

/** The version that an object had when it was read, for `objects.update(object, attributes, { version: versionOf(object) })`. */
export function versionOf(object: object): number | undefined {
  return find(object);
}

/** Remembers the version of an object that was read. */
export function rememberVersion(object: object, version: number): void {
  remember(object, version);
}
