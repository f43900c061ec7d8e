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

type Verdict = "goal" | "met" | "missed" | "";

/** Compares the figure with the goal and the required minimum or maximum. */
export function verdictOn({ ours, ratio, bound }: Outcome): Verdict {
  if (bound === undefined) return "";
  const figure = ratio ?? ours;
  const reaches = (mark: number) => (bound.direction === "atLeast" ? figure >= mark : figure <= mark);
  if (bound.goal !== undefined && reaches(bound.goal)) return "goal";
  return reaches(bound.wanted) ? "met" : "missed";
}

const pageTitles = ["row", "ratio", "bound", "verdict"];
const figureTitles = ["ours", "limit", "CPU µs", "Postgres µs"];

/** The end of a run: a row for each outcome, how many bounds hold, and which are missed. */
export function page(outcomes: readonly Outcome[], withFigures: boolean): string {
  const titles = withFigures ? [...pageTitles, ...figureTitles] : pageTitles;
  const rows = outcomes.map((outcome) => [...pageRow(outcome), ...(withFigures ? figureCells(outcome) : [])]);
  const judged = outcomes.filter(({ bound }) => bound !== undefined);
  const missed = judged.filter((outcome) => verdictOn(outcome) === "missed").map(rowName);
  const sum = `${judged.length - missed.length} of ${judged.length} bounds hold.`;
  return [markdownTable(titles, rows), "", sum, ...missed.map((row) => `Missed: ${row}`)].join("\n");
}

/** What is compared, such as `read by id, of Express`. */
export function rowName({ scenario, limitName }: Outcome): string {
  return limitName === undefined ? scenario : `${scenario}, of ${limitName}`;
}

/** A Markdown table with aligned columns. */
export function markdownTable(titles: readonly string[], body: readonly (readonly string[])[]): string {
  const rows = [titles, ...body];
  const widths = titles.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(titles), line(widths.map((width) => "-".repeat(width))), ...rows.slice(1).map(line)].join("\n");
}

function pageRow(outcome: Outcome): string[] {
  const { ours, unit, ratio, bound } = outcome;
  const figure = ratio?.toFixed(2) ?? `${numberText(ours)} ${unit}`;
  return [rowName(outcome), figure, boundText(bound, ratio === undefined ? unit : ""), verdictOn(outcome)];
}

function figureCells({ unit, ours, limit, cpu, backendCpu }: Outcome): string[] {
  const limitText = limit === undefined ? "" : `${numberText(limit)} ${unit}`;
  return [`${numberText(ours)} ${unit}`, limitText, costText(cpu), costText(backendCpu)];
}

function boundText(bound: Bound | undefined, unit: string): string {
  if (bound === undefined) return "";
  const { direction, wanted, goal } = bound;
  const required = `${direction === "atLeast" ? "≥" : "≤"} ${wanted} ${unit}`.trim();
  return goal === undefined ? required : `${required}, goal ${goal}`;
}

function costText(cost: Cost | undefined): string {
  if (cost === undefined) return "";
  const { ours, limit } = cost;
  return `${ours === null ? "?" : numberText(ours)} / ${limit === null ? "?" : numberText(limit)}`;
}

export function numberText(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(value < 10 ? 2 : 1);
}
