import type { LogInMode } from "@sallyport/client";

/** One check of a server. */
export interface Check<Context> {
  readonly section: string;
  readonly title: string;
  /** `null`: the check has no session, or opens its own. */
  readonly mode: LogInMode | null;
  /** Throws if the server fails the check. */
  readonly run: (context: Context) => Promise<void>;
}

/** The server, its data or the rights of the user do not allow a check. */
export class NotApplicable extends Error {
  override readonly name = "NotApplicable";
}

export type Outcome = "passed" | "failed" | "notApplicable";

export interface CheckResult {
  readonly section: string;
  readonly title: string;
  readonly mode: LogInMode | null;
  readonly outcome: Outcome;
  /** Milliseconds. */
  readonly duration: number;
  /** Why the check failed or does not apply. */
  readonly reason?: string;
}

/** Numbers of checks by outcome. */
export interface Totals {
  readonly checks: number;
  readonly passed: number;
  readonly failed: number;
  readonly notApplicable: number;
}

export function totalsOf(results: readonly CheckResult[]): Totals {
  const count = (expected: Outcome) => results.filter(({ outcome }) => outcome === expected).length;
  return {
    checks: results.length,
    passed: count("passed"),
    failed: count("failed"),
    notApplicable: count("notApplicable"),
  };
}
