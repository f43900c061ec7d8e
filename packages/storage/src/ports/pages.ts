/** A page of a list: at most `limit` items after a key, or from the first (`null`). */
export interface PageRequest<Key = string> {
  readonly after: Key | null;
  readonly limit: number;
}

/** Reads all pages of a list. */
export async function allPages<T, Key = string>(
  list: (page: PageRequest<Key>) => Promise<readonly T[]>,
  keyOf: (item: T) => Key,
  limit = 500,
): Promise<T[]> {
  const all: T[] = [];
  for (;;) {
    const last = all.at(-1);
    const page = await list({ after: last === undefined ? null : keyOf(last), limit });
    all.push(...page);
    if (page.length < limit) return all;
  }
}
