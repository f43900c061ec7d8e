import { ConformanceError } from "../assert/index.ts";
import { described } from "../assert/described.ts";
import type { Need } from "../check.ts";
import { type ContractPlace, readContracts } from "../contract/contracts.ts";
import { numberOfChecks } from "../number-of-checks.ts";
import type { CheckResult } from "../run-check.ts";
import type { ConformanceRun } from "../run-checks.ts";
import { kitVersion } from "./kit-version.ts";
import { type Totals, totalsOf } from "./totals.ts";

/** A run as data. Its schema is `report.schema.json` of the package. A breaking change increments `version`. */
export interface JsonReport extends Pick<ConformanceRun, "adapter" | "kind" | "capabilities" | "duration" | "cpu"> {
  readonly format: "sallyport-conformance";
  readonly version: 1;
  /** Version of the kit. */
  readonly kit: string;
  /** Whether the run includes all checks of the kit. */
  readonly complete: boolean;
  readonly totals: Totals;
  /** Errors thrown outside the checks. */
  readonly strayErrors: readonly string[];
  readonly sections: readonly SectionReport[];
}

export interface SectionReport {
  readonly name: string;
  readonly totals: Totals;
  readonly checks: readonly CheckReport[];
}

export interface CheckReport {
  readonly name: string;
  readonly outcome: CheckResult["outcome"];
  /** Milliseconds. */
  readonly duration: number;
  /** The capability that the adapter lacks, or `kernel`; present if the outcome is `notApplicable`. */
  readonly missing?: Need;
  /** Present if the outcome is `failed`. */
  readonly failure?: FailureReport;
  /** The unimplemented call; present if the outcome is `notImplemented`. */
  readonly reason?: string;
}

export interface FailureReport {
  readonly message: string;
  /** The expected and the actual value; absent if the check compared nothing. */
  readonly expected?: string;
  readonly got?: string;
  /** The contract of the last call; absent if there was none. */
  readonly contract?: ContractPlace;
}

export function jsonReport(run: ConformanceRun): JsonReport {
  const { adapter, kind, capabilities, results, duration, cpu, strayErrors } = run;
  const contracts = readContracts();
  const sections = [...new Set(results.map(({ section }) => section))].map((name) => {
    const own = results.filter(({ section }) => section === name);
    return { name, totals: totalsOf(own), checks: own.map((result) => checkReport(result, contracts)) };
  });
  return {
    format: "sallyport-conformance",
    version: 1,
    kit: kitVersion,
    adapter,
    kind,
    capabilities,
    complete: results.length === numberOfChecks,
    totals: totalsOf(results),
    duration: Math.round(duration),
    cpu: Math.round(cpu),
    strayErrors: strayErrors.map(described),
    sections,
  };
}

function checkReport(
  { name, outcome, duration, error, calls, missing }: CheckResult,
  contracts: ReadonlyMap<string, ContractPlace>,
): CheckReport {
  const result = { name, outcome, duration: Math.round(duration) };
  if (missing !== undefined) return { ...result, missing };
  if (outcome === "notImplemented") return { ...result, reason: (error as Error).message };
  if (outcome !== "failed") return result;
  const contract = contracts.get(calls.at(-1) ?? "");
  return { ...result, failure: { ...failureReport(error), ...(contract === undefined ? {} : { contract }) } };
}

function failureReport(error: unknown): FailureReport {
  if (!(error instanceof ConformanceError)) return { message: described(error) };
  if (error.comparison === null) return { message: error.message };
  const { what, expected, got } = error.comparison;
  return { message: what, expected, got };
}
