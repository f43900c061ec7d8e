/** The closest name; `undefined` if more than `maxDistance` edits apart. Defaults to a third of the letters. */
export function didYouMean(
  name: string,
  names: readonly string[],
  maxDistance = Math.max(1, Math.floor(name.length / 3)),
): string | undefined {
  const lowerCase = name.toLowerCase();
  const ranked = names
    .filter((candidate) => Math.abs(candidate.length - name.length) <= maxDistance)
    .map((candidate) => ({ candidate, distance: distance(lowerCase, candidate.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance);
  const [best] = ranked;
  return best !== undefined && best.distance <= maxDistance ? best.candidate : undefined;
}

/** Edit distance with insertions, deletions, substitutions and transpositions (optimal string alignment). */
function distance(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const at = (up: number, left: number): number =>
        (up === 0 ? current : rows[row - up])?.[column - left] ?? Number.POSITIVE_INFINITY;
      const same = from[row - 1] === to[column - 1];
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current.push(
        Math.min(
          at(0, 1) + 1,
          at(1, 0) + 1,
          at(1, 1) + (same ? 0 : 1),
          swapped ? at(2, 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    rows.push(current);
  }
  return rows[from.length]?.[to.length] ?? Number.POSITIVE_INFINITY;
}
