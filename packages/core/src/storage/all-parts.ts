/** One part of a list: at most `limit` items, those after the name of one, or from the first (`null`). */
export interface Part {
  readonly after: string | null;
  readonly limit: number;
}

const limit = 500;

/** Everything that a list gives part by part. */
export async function allParts<T>(list: (part: Part) => Promise<T[]>, nameOf: (item: T) => string): Promise<T[]> {
  const all: T[] = [];
  for (;;) {
    const last = all.at(-1);
    const found = await list({ after: last === undefined ? null : nameOf(last), limit });
    all.push(...found);
    if (found.length < limit) return all;
  }
}
