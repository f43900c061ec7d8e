/**
 * A deep copy that nobody can change: what callers keep in hand never reaches into the storage. The detour through
 * JSON leaves exactly what a database that stores JSON would give back.
 */
export function frozenCopy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_name, member: unknown) =>
    typeof member === "object" && member !== null ? Object.freeze(member) : member,
  ) as T;
}
