/** A table in aligned columns, the headings first. What a terminal would obey or hide is spelled out. */
export function tableLines(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const table = [headings, ...rows].map((row) => row.map(printable));
  const widths = headings.map((_heading, column) => Math.max(...table.map((row) => lengthOf(row[column] ?? ""))));
  return table.map((row) =>
    row
      .map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - lengthOf(cell)))
      .join("  ")
      .trimEnd(),
  );
}

function lengthOf(text: string): number {
  return [...text].length;
}

/** Spells out control characters and invisible ones, which could move the cursor or turn the line around. */
export function printable(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`,
  );
}
