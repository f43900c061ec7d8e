/**
 * A deep, frozen copy, which isolates the storage from its callers. The JSON round trip gives exactly the result of a
 * database that stores JSON.
 */
export function frozenCopy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_name, member: unknown) => Object.freeze(member)) as T;
}
