import type { CheckResult } from "../run-check.ts";

/** Numbers of checks by outcome. */
export interface Totals {
  readonly checks: number;
  readonly run: number;
  readonly passed: number;
  readonly failed: number;
  readonly toWrite: number;
  readonly notApplicable: number;
}

export function totalsOf(results: readonly CheckResult[]): Totals {
  const count = (wanted: CheckResult["outcome"]) => results.filter(({ outcome }) => outcome === wanted).length;
  const [passed, failed, toWrite, notApplicable] = [
    count("passed"),
    count("failed"),
    count("toWrite"),
    count("notApplicable"),
  ];
  return { checks: results.length, run: passed + failed + toWrite, passed, failed, toWrite, notApplicable };
}
