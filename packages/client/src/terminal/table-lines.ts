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

const shortestCell = 6;
/** The first column has what other commands take. It becomes shorter only beyond this width, that of a key id. */
const wholeName = 43;

/** A table that fits, and the headings of the columns that it lacks. */
export interface FittedTable {
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly hidden: readonly string[];
}

/**
 * A table that is at most `width` characters wide. The longest cells lose their ends, except in the columns of `whole`. If
 * that does not suffice, the last columns are hidden.
 */
export function fittedTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
  whole: ReadonlySet<number> = new Set(),
): FittedTable {
  const widths = headings.map((heading, column) =>
    Math.max(lengthOf(heading), ...rows.map((row) => lengthOf(printable(row[column] ?? "")))),
  );
  const least = widths.map((widest, column) => {
    if (whole.has(column)) return widest;
    return Math.min(widest, Math.max(column === 0 ? wholeName : shortestCell, lengthOf(headings[column] ?? "")));
  });
  const sumOf = (columns: readonly number[]) => columns.reduce((sum, each) => sum + each + 2, -2);
  let shown = headings.length;
  while (shown > 1 && sumOf(least.slice(0, shown)) > width) shown -= 1;
  const fitted = widths.slice(0, shown);
  for (let excess = sumOf(fitted) - width; excess > 0; excess -= 1) {
    const longest = Math.max(...fitted.filter((each, column) => each > (least[column] as number)));
    const column = fitted.findLastIndex((each, index) => each === longest && each > (least[index] as number));
    if (column < 0) break;
    fitted[column] = longest - 1;
  }
  return {
    headings: headings.slice(0, shown),
    rows: rows.map((row) => fitted.map((each, column) => shortened(row[column] ?? "", each))),
    hidden: headings.slice(shown),
  };
}

/** Shortens a text to a width. Control characters are escaped. */
export function shortened(cell: string, width: number): string {
  const characters = [...printable(cell)];
  return characters.length <= width ? cell : `${characters.slice(0, width - 1).join("")}…`;
}
