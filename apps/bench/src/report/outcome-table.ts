import { type Bound, type Cost, type Outcome, verdictOn } from "./outcome.ts";

const head = ["scenario", "ours", "limit", "of", "ratio", "wanted", "goal", "CPU µs", "Postgres µs", "verdict"];

/** The outcomes as a Markdown table, padded so that it reads well in a terminal, too. */
export function outcomeTable(outcomes: readonly Outcome[]): string {
  const rows = [head, ...outcomes.map(rowOf)];
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.slice(1).map(line)].join("\n");
}

function rowOf(outcome: Outcome): string[] {
  const { scenario, unit, ours, limit, limitName, ratio, bound, cpu, backendCpu } = outcome;
  const mark = (which: "wanted" | "goal") => markText(bound, which, ratio === undefined ? unit : "");
  return [
    scenario,
    `${number(ours)} ${unit}`,
    limit === undefined ? "" : `${number(limit)} ${unit}`,
    limitName ?? "",
    ratio?.toFixed(2) ?? "",
    mark("wanted"),
    mark("goal"),
    costText(cpu),
    costText(backendCpu),
    verdictOn(outcome),
  ];
}

function markText(bound: Bound | undefined, which: "wanted" | "goal", unit: string): string {
  const mark = bound?.[which];
  if (bound === undefined || mark === undefined) return "";
  return `${bound.direction === "atLeast" ? "≥" : "≤"} ${mark} ${unit}`.trim();
}

function costText(cost: Cost | undefined): string {
  if (cost === undefined) return "";
  const { ours, limit } = cost;
  return `${ours === null ? "?" : number(ours)} / ${limit === null ? "?" : number(limit)}`;
}

function number(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(1);
}
