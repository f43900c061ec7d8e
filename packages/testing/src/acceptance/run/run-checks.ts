import { AssertionError } from "node:assert";
import { SallyportError, TransportError } from "@sallyport/client";
import type { Check } from "./check.ts";
import { leftBehind, type Observer, takeInventory } from "./inventory.ts";
import { NotApplicable, type Target, Visit } from "./visit.ts";

export type Outcome = "passed" | "failed" | "notApplicable";

export interface CheckResult {
  readonly section: string;
  readonly title: string;
  readonly mode: Check["mode"];
  readonly outcome: Outcome;
  /** Milliseconds. */
  readonly duration: number;
  /** Why the check failed or does not apply. */
  readonly reason?: string;
}

/** The last section: what the run has left behind. */
export const tracesSection = "traces";

/** Runs the checks one after another until `stop`, removes what they have created and counts whether that is all. */
export async function runChecks(
  target: Target,
  checks: readonly Check[],
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
    for (const check of checks) {
      if (stop?.aborted === true) break;
      add(await outcomeOf(check, () => check.run(visit)));
    }
  } finally {
    add(await outcomeOf({ ...traces, title: "removes its objects and ends its sessions" }, () => visit.close()));
  }
  add(
    await outcomeOf({ ...traces, title: "counts as many objects and sessions as before" }, async () => {
      const lines = leftBehind(before, await takeInventory(observer));
      if (lines.length > 0) throw new AssertionError({ message: lines.join("; ") });
    }),
  );
  return results;
}

async function outcomeOf(
  { section, title, mode }: Pick<Check, "section" | "title" | "mode">,
  run: () => Promise<void>,
): Promise<CheckResult> {
  const start = performance.now();
  const result = (outcome: Outcome, reason?: string): CheckResult => ({
    section,
    title,
    mode,
    outcome,
    duration: performance.now() - start,
    ...(reason === undefined ? {} : { reason }),
  });
  try {
    await run();
    return result("passed");
  } catch (error) {
    if (error instanceof NotApplicable) return result("notApplicable", error.message);
    return result("failed", described(error));
  }
}

function described(error: unknown): string {
  if (error instanceof SallyportError) {
    const { code, message, httpStatus, debugMessage, requestId } = error;
    const more = [debugMessage, requestId === undefined ? undefined : `request id ${requestId}`];
    return [`the server answered ${httpStatus}/${code}: ${message}`, ...more.filter(Boolean)].join("; ");
  }
  if (error instanceof AssertionError || error instanceof TransportError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
