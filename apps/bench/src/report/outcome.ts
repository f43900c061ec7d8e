/** What a figure must reach. */
export interface Bound {
  readonly direction: "atLeast" | "atMost";
  readonly wanted: number;
  readonly goal?: number;
}

/** One line of the report. */
export interface Outcome {
  readonly scenario: string;
  readonly unit: "1/s" | "ms" | "MiB";
  readonly ours: number;
  readonly limit?: number;
  /** What `limit` is the figure of. */
  readonly limitName?: string;
  /** What the bound is about, if it is not `ours` itself. */
  readonly ratio?: number;
  /** None: the line is for information. */
  readonly bound?: Bound;
  /** Microseconds of processor time for each request. */
  readonly cpu?: Cost;
  readonly backendCpu?: Cost;
}

export interface Cost {
  readonly ours: number | null;
  readonly limit: number | null;
}

export type Verdict = "goal" | "wanted" | "missed" | "";

/** Whether the figure reaches the goal, or at least what is wanted. */
export function verdictOn({ ours, ratio, bound }: Outcome): Verdict {
  if (bound === undefined) return "";
  const figure = ratio ?? ours;
  const reaches = (mark: number) => (bound.direction === "atLeast" ? figure >= mark : figure <= mark);
  if (bound.goal !== undefined && reaches(bound.goal)) return "goal";
  return reaches(bound.wanted) ? "wanted" : "missed";
}
