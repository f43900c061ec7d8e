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
