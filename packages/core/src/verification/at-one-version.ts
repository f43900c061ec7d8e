/** Looks at something that others use. */
export const looks = 5;

interface Versioned {
  readonly version: number;
}

/**
 * Looks at what must agree with something of a version. A look counts only if the version is the same afterwards, as a
 * transaction that changes both sides changes it. `null`: nothing is wrong, it is gone, or it changes all the time.
 */
export async function atOneVersion<Something extends Versioned>(
  read: () => Promise<Something | undefined>,
  look: (something: Something) => Promise<string | null>,
): Promise<string | null> {
  for (let count = 0; count < looks; count += 1) {
    const before = await read();
    if (before === undefined) return null;
    const finding = await look(before);
    if (finding === null) return null;
    if ((await read())?.version === before.version) return finding;
  }
  return null;
}
