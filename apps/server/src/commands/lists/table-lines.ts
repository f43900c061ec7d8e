import { printable } from "./printable.ts";

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
