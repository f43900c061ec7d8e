import { capabilityWords } from "@sallyport/core";
import { described } from "../assert/described.ts";
import type { CheckResult } from "../run-check.ts";
import type { ConformanceRun } from "../run-checks.ts";
import { totalsOf } from "./totals.ts";

/** What came of a run, for whoever writes the adapter. Ends with a line break. */
export function humanReport({ adapter, capabilities, results, duration, cpu }: ConformanceRun): string {
  const failures = results.filter(({ outcome }) => outcome === "failed");
  const { checks, run, passed, failed, notApplicable } = totalsOf(results);
  return [
    adapter,
    "",
    ...[...capabilityWords(capabilities)].map(([name, words]) => `  ${name}: ${words}`),
    "",
    ...failures.flatMap(failureLines),
    `${checks} checks: ${run} run, ${passed} passed, ${failed} failed, ${notApplicable} not applicable; ${seconds(duration)}, ${seconds(cpu)} of computing.`,
    "",
  ].join("\n");
}

function failureLines({ section, name, error }: CheckResult): string[] {
  return [`${section}: ${name}`, `  ${described(error)}`, ""];
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(1)} s`;
}
