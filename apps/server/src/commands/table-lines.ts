/** Formats a table in aligned columns, headings first. Control characters are escaped. */
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

/** Escapes control and invisible characters, which could move the cursor or reverse the text. */
export function printable(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`,
  );
}
