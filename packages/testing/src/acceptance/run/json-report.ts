import { createRequire } from "node:module";
import type { CheckResult } from "./run-checks.ts";

/** Numbers of checks by outcome. */
export interface Totals {
  readonly checks: number;
  readonly passed: number;
  readonly failed: number;
  readonly notApplicable: number;
}

/** A run as data. A breaking change increments `version`. */
export interface JsonReport {
  readonly format: "sallyport-acceptance";
  readonly version: 1;
  /** Version of the package. */
  readonly package: string;
  readonly url: string;
  readonly totals: Totals;
  readonly sections: readonly {
    readonly name: string;
    readonly totals: Totals;
    readonly checks: readonly CheckResult[];
  }[];
}

export function totalsOf(results: readonly CheckResult[]): Totals {
  const count = (wanted: CheckResult["outcome"]) => results.filter(({ outcome }) => outcome === wanted).length;
  return {
    checks: results.length,
    passed: count("passed"),
    failed: count("failed"),
    notApplicable: count("notApplicable"),
  };
}

export function jsonReport(url: string, results: readonly CheckResult[]): JsonReport {
  const { version } = createRequire(import.meta.url)("../../../package.json") as { readonly version: string };
  const sections = [...new Set(results.map(({ section }) => section))].map((name) => {
    const own = results.filter(({ section }) => section === name);
    const checks = own.map((each) => ({ ...each, duration: Math.round(each.duration) }));
    return { name, totals: totalsOf(own), checks };
  });
  return { format: "sallyport-acceptance", version: 1, package: version, url, totals: totalsOf(results), sections };
}
