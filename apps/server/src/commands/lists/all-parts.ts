const partSize = 500;

/** Everything that a list gives part by part, each part beginning after the name of the last one. */
export async function allParts<T>(
  part: (after: string | null, limit: number) => Promise<T[]>,
  nameOf: (each: T) => string,
): Promise<T[]> {
  const all: T[] = [];
  for (;;) {
    const last = all.at(-1);
    const found = await part(last === undefined ? null : nameOf(last), partSize);
    all.push(...found);
    if (found.length < partSize) return all;
  }
}
