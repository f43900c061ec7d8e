import type { Speed } from "./measure-speed.ts";

/** The measured times as a table, with a trailing newline. */
export function speedReport(speeds: readonly Speed[], size: number): string {
  const rows = [
    ["operation", "among 1,000", `among ${size.toLocaleString("en")}`, "ratio", ""],
    ...speeds.map(({ operation, small, large, ratio, light }) => [
      operation,
      microseconds(small),
      microseconds(large),
      ratio.toFixed(1),
      light,
    ]),
  ];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        column === 0 || column === 4 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd();
  return `${rows.map(line).join("\n")}\n`;
}

function microseconds(time: number): string {
  return `${Math.round(time).toLocaleString("en")} µs`;
}
