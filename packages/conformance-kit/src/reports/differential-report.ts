import { described } from "../assert/described.ts";
import { type DifferentialRun, reproductionTest } from "../differential/index.ts";
import { kitVersion } from "./kit-version.ts";

/** A comparison as data. A breaking change of the format increments `version`. */
export interface DifferentialReport extends DifferentialRun {
  readonly format: "sallyport-differential";
  readonly version: 1;
  /** Version of the kit. */
  readonly kit: string;
  /** The source of a runnable test that shows the difference; absent if there is none. */
  readonly test?: string;
}

export function differentialReport(run: DifferentialRun, module: string): DifferentialReport {
  const test = run.difference === null ? {} : { test: reproductionTest(run.difference, module) };
  return { format: "sallyport-differential", version: 1, kit: kitVersion, ...run, ...test };
}

/** A comparison as text for the adapter's author. Includes a runnable test for a difference. */
export function differentialSummary(run: DifferentialRun, module: string, again: string): string {
  const { adapter, reference, queries, histories, seed, difference } = run;
  const tried = `${queries} random queries and ${histories} random histories of writes, seed ${seed}`;
  if (difference === null) return `${adapter} matches ${reference}: ${tried}.\n`;
  return [
    `${adapter} differs from ${reference} (${tried}):`,
    `  expected ${described(difference.expected)}`,
    `  got      ${described(difference.actual)}`,
    `Rerun: ${again}`,
    "",
    "As a test for Node.js:",
    "",
    reproductionTest(difference, module),
  ].join("\n");
}
