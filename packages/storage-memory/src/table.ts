/** Marks an entry of the base as deleted. */
const gone = Symbol("gone");

/**
 * A map that can be forked: the fork shows the entries of its base, keeps its own changes to itself and hands them
 * down with `commit`. What is never committed is never seen. Entries come in the order in which they were added.
 */
export class Table<K, V extends NonNullable<unknown>> {
  private own = new Map<K, V | typeof gone>();

  constructor(private readonly base?: Table<K, V>) {}

  fork(): Table<K, V> {
    return new Table(this);
  }

  get(key: K): V | undefined {
    const value = this.own.get(key);
    if (value === gone) return undefined;
    return value ?? this.base?.get(key);
  }

  has(key: K): boolean {
    return this.get(key) !== undefined;
  }

  set(key: K, value: V): void {
    this.own.set(key, value);
  }

  /** Sets an entry here and in everything that this was forked from: it stays, also when nothing else is kept. */
  setForGood(key: K, value: V): void {
    this.base?.setForGood(key, value);
    this.own.set(key, value);
  }

  delete(key: K): void {
    if (this.base === undefined) this.own.delete(key);
    else this.own.set(key, gone);
  }

  /** Deletes at most `limit` of the entries that are over, and tells how many. */
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
        else if (changed !== gone) yield [key, changed];
      }
    }
    for (const [key, value] of this.own) {
      if (value !== gone && this.base?.get(key) === undefined) yield [key, value];
    }
  }

  *values(): Generator<V> {
    for (const [, value] of this.entries()) yield value;
  }

  /** What the table shows now, as one that has no base. */
  copy(): Table<K, V> {
    const copy = new Table<K, V>();
    for (const [key, value] of this.entries()) copy.own.set(key, value);
    return copy;
  }

  /** Puts what another table without a base holds into the place of everything here. */
  replace(other: Table<K, V>): void {
    this.own = new Map(other.own);
  }

  commit(): void {
    for (const [key, value] of this.own) {
      if (value === gone) this.base?.delete(key);
      else this.base?.set(key, value);
    }
  }
}

/** At most `limit` of these in the order of their names by code points: from the first (`null`), or those after a name. */
export function partByName<T>(all: Iterable<T>, nameOf: (each: T) => string, after: string | null, limit: number): T[] {
  // UTF-8 keeps the order of code points; the strings of JavaScript do not.
  const named = Array.from(all, (each) => ({ each, name: Buffer.from(nameOf(each)) }));
  const start = after === null ? null : Buffer.from(after);
  return named
    .filter(({ name }) => start === null || Buffer.compare(name, start) > 0)
    .toSorted((a, b) => Buffer.compare(a.name, b.name))
    .slice(0, limit)
    .map(({ each }) => each);
}

/**
 * A deep copy that nobody can change: what callers keep in hand never reaches into the storage. The detour through
 * JSON leaves exactly what a database that stores JSON would give back.
 */
export function frozenCopy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_name, member: unknown) =>
    typeof member === "object" && member !== null ? Object.freeze(member) : member,
  ) as T;
}
