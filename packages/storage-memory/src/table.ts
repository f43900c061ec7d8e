/** Marks an entry of the base as deleted. */
const deleted = Symbol("deleted");

/**
 * A map that can be forked. A fork shows the entries of its base and keeps its changes private until `commit`. Entries
 * are in insertion order.
 */
export class Table<K, V extends NonNullable<unknown>> {
  private own = new Map<K, V | typeof deleted>();

  constructor(private readonly base?: Table<K, V>) {}

  fork(): Table<K, V> {
    return new Table(this);
  }

  get(key: K): V | undefined {
    const value = this.own.get(key);
    if (value === deleted) return undefined;
    return value ?? this.base?.get(key);
  }

  has(key: K): boolean {
    return this.get(key) !== undefined;
  }

  set(key: K, value: V): void {
    this.own.set(key, value);
  }

  /** Sets an entry here and in all bases, so that it survives a rollback. */
  setPermanently(key: K, value: V): void {
    this.base?.setPermanently(key, value);
    this.own.set(key, value);
  }

  delete(key: K): void {
    if (this.base === undefined) this.own.delete(key);
    else this.own.set(key, deleted);
  }

  /** Deletes up to `limit` matching entries and returns their number. */
  sweep(isOver: (value: V, key: K) => boolean, limit: number): number {
    const over = [...this.entries()].filter(([key, value]) => isOver(value, key)).slice(0, limit);
    for (const [key] of over) this.delete(key);
    return over.length;
  }

  *entries(): Generator<[K, V]> {
    if (this.base !== undefined) {
      for (const [key, value] of this.base.entries()) {
        const changed = this.own.get(key);
        if (changed === undefined) yield [key, value];
        else if (changed !== deleted) yield [key, changed];
      }
    }
    for (const [key, value] of this.own) {
      if (value !== deleted && this.base?.get(key) === undefined) yield [key, value];
    }
  }

  *values(): Generator<V> {
    for (const [, value] of this.entries()) yield value;
  }

  /** A copy without a base. */
  copy(): Table<K, V> {
    const copy = new Table<K, V>();
    for (const [key, value] of this.entries()) copy.own.set(key, value);
    return copy;
  }

  /** Replaces the content with that of a table without a base. */
  replace(other: Table<K, V>): void {
    this.own = new Map(other.own);
  }

  commit(): void {
    for (const [key, value] of this.own) {
      if (value === deleted) this.base?.delete(key);
      else this.base?.set(key, value);
    }
  }
}

/** Up to `limit` items ordered by name in code points, from the start (`null`) or after a name. */
export function pageByName<T>(all: Iterable<T>, nameOf: (each: T) => string, after: string | null, limit: number): T[] {
  // UTF-8 bytes sort by code points; JavaScript strings do not.
  const named = Array.from(all, (each) => ({ each, name: Buffer.from(nameOf(each)) }));
  const start = after === null ? null : Buffer.from(after);
  return named
    .filter(({ name }) => start === null || Buffer.compare(name, start) > 0)
    .toSorted((a, b) => Buffer.compare(a.name, b.name))
    .slice(0, limit)
    .map(({ each }) => each);
}

/**
 * A deep, frozen copy, which isolates the storage from its callers. The JSON round trip gives exactly the result of a
 * database that stores JSON.
 */
export function frozenCopy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_name, member: unknown) =>
    typeof member === "object" && member !== null ? Object.freeze(member) : member,
  ) as T;
}
