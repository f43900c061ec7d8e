import type { AdapterUnderTest } from "./adapter-under-test.ts";
import { checks } from "./checks.ts";
import { type CheckResult, runCheck } from "./run-check.ts";

/** Runs every check on the adapter, one after the other. */
export async function runChecks(adapter: AdapterUnderTest): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const check of checks) results.push(await runCheck(adapter, check));
  return results;
}
