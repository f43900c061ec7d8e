export interface Bound {
  readonly direction: "atLeast" | "atMost";
  readonly wanted: number;
  readonly goal?: number;
}

export function atLeast(wanted: number, goal?: number): Bound {
  return { direction: "atLeast", wanted, ...(goal === undefined ? {} : { goal }) };
}

export function atMost(wanted: number): Bound {
  return { direction: "atMost", wanted };
}

/** One line of the report. */
export interface Outcome {
  readonly scenario: string;
  readonly unit: "1/s" | "MiB/s" | "ms" | "MiB";
  readonly ours: number;
  /** The name of the candidate behind `ours`, where a scenario has several. */
  readonly oursName?: string;
  readonly limit?: number;
  /** The name of the candidate behind `limit`. */
  readonly limitName?: string;
  /** The figure that the bound applies to, if it is not `ours`. */
  readonly ratio?: number;
  /** Absent: the line is informational. */
  readonly bound?: Bound;
  /** Microseconds of CPU time for each request, or for each MiB. */
  readonly cpu?: Cost;
  readonly backendCpu?: Cost;
  readonly costs?: Costs;
}

/** Microseconds of CPU time of server and database together for each operation, round by round. */
export interface Costs {
  readonly ours: readonly number[];
  readonly limit: readonly number[];
}

interface Cost {
  readonly ours: number | null;
  readonly limit: number | null;
}

type Verdict = "goal" | "wanted" | "missed" | "";

/** Compares the figure with the goal and the required minimum or maximum. */
export function verdictOn({ ours, ratio, bound }: Outcome): Verdict {
  if (bound === undefined) return "";
  const figure = ratio ?? ours;
  const reaches = (mark: number) => (bound.direction === "atLeast" ? figure >= mark : figure <= mark);
  if (bound.goal !== undefined && reaches(bound.goal)) return "goal";
  return reaches(bound.wanted) ? "wanted" : "missed";
}

const head = ["scenario", "ours", "limit", "of", "ratio", "wanted", "goal", "CPU µs", "Postgres µs", "verdict"];

export function outcomeTable(outcomes: readonly Outcome[]): string {
  return markdownTable(head, outcomes.map(rowOf));
}

/** A Markdown table with aligned columns. */
export function markdownTable(titles: readonly string[], body: readonly (readonly string[])[]): string {
  const rows = [titles, ...body];
  const widths = titles.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(titles), line(widths.map((width) => "-".repeat(width))), ...rows.slice(1).map(line)].join("\n");
}

function rowOf(outcome: Outcome): string[] {
  const { scenario, unit, ours, limit, limitName, ratio, bound, cpu, backendCpu } = outcome;
  const mark = (which: "wanted" | "goal") => markText(bound, which, ratio === undefined ? unit : "");
  return [
    scenario,
    `${numberText(ours)} ${unit}`,
    limit === undefined ? "" : `${numberText(limit)} ${unit}`,
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
  return `${ours === null ? "?" : numberText(ours)} / ${limit === null ? "?" : numberText(limit)}`;
}

export function numberText(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(value < 10 ? 2 : 1);
}
