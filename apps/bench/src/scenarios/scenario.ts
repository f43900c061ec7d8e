import type { ContestPlan } from "../contest/hold-contest.ts";
import type { Outcome } from "../report/outcome.ts";
import type { Stage } from "../stage/stage.ts";

/** One thing to be measured; gives a line of the report for each figure. */
export interface Scenario {
  readonly name: string;
  run(stage: Stage, plan: ContestPlan): Promise<Outcome[]>;
}
