import type { CheckResult } from "../run-check.ts";

/** Numbers of checks by outcome. */
export interface Totals {
  readonly checks: number;
  readonly run: number;
  readonly passed: number;
  readonly failed: number;
  readonly notImplemented: number;
  readonly notApplicable: number;
}

export function totalsOf(results: readonly CheckResult[]): Totals {
  const count = (expected: CheckResult["outcome"]) => results.filter(({ outcome }) => outcome === expected).length;
  const [passed, failed, notImplemented, notApplicable] = [
    count("passed"),
    count("failed"),
    count("notImplemented"),
    count("notApplicable"),
  ];
  return {
    checks: results.length,
    run: passed + failed + notImplemented,
    passed,
    failed,
    notImplemented,
    notApplicable,
  };
}
