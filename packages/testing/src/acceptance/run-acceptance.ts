import { AssertionError } from "node:assert";
import type { CheckResult } from "../run/check.ts";
import { runCheck, runChecks } from "../run/run-checks.ts";
import { leftBehind, type Observer, takeInventory } from "./target/inventory.ts";
import { type ServerCheck, type Target, Visit } from "./target/visit.ts";

/** The last section: what the run has left behind. It has two checks. */
export const tracesSection = "traces";

/** Runs the checks one after another until `stop`, removes what they have created and counts whether that is all. */
export async function runAcceptance(
  target: Target,
  checks: readonly ServerCheck[],
  /** Sees what the run could leave behind: with the demo the administrator, else the user. */
  observer: Observer,
  note: (result: CheckResult) => void,
  stop?: AbortSignal,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  const add = (result: CheckResult) => {
    results.push(result);
    note(result);
  };
  const before = await takeInventory(observer);
  const visit = new Visit(target);
  const traces = { section: tracesSection, mode: null };
  try {
    await runChecks(visit, checks, add, () => stop?.aborted === true);
  } finally {
    const title = "removes its objects and ends its sessions";
    add(await runCheck({ ...traces, title, run: () => visit.close() }, visit));
  }
  const compare = async () => {
    const lines = leftBehind(before, await takeInventory(observer));
    if (lines.length > 0) throw new AssertionError({ message: lines.join("; ") });
  };
  add(await runCheck({ ...traces, title: "counts as many objects and sessions as before", run: compare }, visit));
  return results;
}
