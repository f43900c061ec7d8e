import type { LineAllowance } from "./line-allowance.ts";
import type { MacroPlace } from "./macro-runtime.ts";

/** What is being executed where a use case was called from a module; hooks of what it does run in the same place. */
export interface MacroExecution {
  readonly place: MacroPlace;
  /** How many modules called one another until here: 1 for the macro that the client named. */
  readonly depth: number;
  /** When it has to be over, by `Date.now()`. */
  readonly deadline: number;
  /** What its modules may write into the log, all together. */
  readonly lines: LineAllowance;
}

/** How deep modules may call one another. */
export const deepestExecution = 8;
