import type { ConformanceRun } from "../run-checks.ts";
import { counted } from "./counted.ts";
import { totalsOf } from "./totals.ts";

/** What a badge says. */
export interface Badge {
  readonly label: string;
  readonly message: string;
  /** As `#rrggbb`. */
  readonly color: string;
}

const [green, grey, red] = ["#2e7d32", "#616161", "#b71c1c"];

export function badgeOf({ results, strayErrors }: Pick<ConformanceRun, "results" | "strayErrors">): Badge {
  const label = "sallyport storage";
  const { run, failed, toWrite } = totalsOf(results);
  if (failed > 0) return { label, message: `${failed} of ${counted(run, "check")} failed`, color: red };
  if (strayErrors.length > 0) return { label, message: counted(strayErrors.length, "stray error"), color: red };
  if (toWrite > 0) return { label, message: `${run - toWrite} of ${counted(run, "check")} passed`, color: grey };
  return { label, message: `${counted(run, "check")} passed`, color: green };
}
