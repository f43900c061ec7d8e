import type { ContestResult } from "../contest/hold-contest.ts";
import type { Bound, Outcome } from "./outcome.ts";

export interface Comparison {
  readonly scenario: string;
  /** Names of the contestants. */
  readonly ours: string;
  readonly limit: string;
  readonly bound?: Bound;
}

/** The outcome of a contest between us and a limit. */
export function compared(result: ContestResult, { scenario, ours, limit, bound }: Comparison): Outcome {
  const [a, b] = [result.of(ours), result.of(limit)];
  return {
    scenario,
    unit: "1/s",
    ours: a.perSecond,
    limit: b.perSecond,
    limitName: limit,
    ratio: result.ratio(ours, limit),
    ...(bound === undefined ? {} : { bound }),
    cpu: { ours: a.cpu, limit: b.cpu },
    backendCpu: { ours: a.backendCpu, limit: b.backendCpu },
  };
}
