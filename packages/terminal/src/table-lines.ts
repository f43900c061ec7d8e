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

const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];

/** A number of bytes in the unit that fits, such as `1.5 MiB`. */
export function byteText(bytes: number): string {
  if (bytes === 1) return "1 byte";
  const power = bytes < 1_024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1_024 ** power).toLocaleString("en", { maximumFractionDigits: 1 })} ${units[power]}`;
}

const shortestCell = 8;

/** The rows of a table that is at most `width` characters wide. The longest cells lose their ends; the first column stays whole. */
export function fittedRows(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
): readonly (readonly string[])[] {
  const widths = headings.map((heading, column) =>
    Math.max(lengthOf(heading), ...rows.map((row) => lengthOf(printable(row[column] ?? "")))),
  );
  const whole = () => widths.reduce((sum, each) => sum + each + 2, -2);
  while (whole() > width) {
    const widest = widths.indexOf(Math.max(...widths.slice(1)), 1);
    if ((widths[widest] ?? 0) <= shortestCell) break;
    widths[widest] = Math.max(
      shortestCell,
      (widths[widest] as number) - (whole() - width),
      secondWidest(widths, widest),
    );
  }
  return rows.map((row) => row.map((cell, column) => shortened(cell, widths[column] as number)));
}

/** The next lower width of another column, so that all wide columns shrink in turn. */
function secondWidest(widths: readonly number[], widest: number): number {
  const others = widths.filter((_each, column) => column > 0 && column !== widest);
  return Math.min((widths[widest] as number) - 1, Math.max(0, ...others));
}

function shortened(cell: string, width: number): string {
  const characters = [...printable(cell)];
  return characters.length <= width ? cell : `${characters.slice(0, width - 1).join("")}…`;
}
