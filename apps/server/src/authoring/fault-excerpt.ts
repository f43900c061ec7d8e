const around = 2;

/** A line of a text, counted from 1, with those around it and a mark below the column. */
export function faultExcerpt(text: string, line: number, column: number): string[] {
  const lines = text.split(/\r?\n/);
  const first = Math.max(1, line - around);
  const last = Math.min(lines.length, line + around);
  const width = String(last).length;
  const shown: string[] = [];
  for (let number = first; number <= last; number += 1) {
    const source = lines[number - 1] ?? "";
    shown.push(`${number === line ? ">" : " "} ${String(number).padStart(width)} | ${source}`.trimEnd());
    // What stands before the mark is copied where it is a tab, so that both move alike.
    if (number === line)
      shown.push(`  ${" ".repeat(width)} | ${source.slice(0, column - 1).replaceAll(/[^\t]/g, " ")}^`);
  }
  return shown;
}
