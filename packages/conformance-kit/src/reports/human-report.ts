import type { StorageCapabilities } from "@sallyport/core";
import type { Check } from "../check.ts";
import { readContracts } from "../contract/contracts.ts";
import { numberOfChecks } from "../number-of-checks.ts";
import type { CheckResult } from "../run-check.ts";
import type { ConformanceRun } from "../run-checks.ts";
import { capabilityLines } from "./capability-lines.ts";
import { counted, seconds } from "./counted.ts";
import { failureLines, strayErrorLines } from "./failure-lines.ts";
import { SectionProgress } from "./section-progress.ts";
import type { TerminalStyle } from "./terminal-style.ts";
import { unwrittenLines } from "./unwritten-lines.ts";
import { totalsOf } from "./totals.ts";

export interface HumanReportOptions {
  readonly write: (text: string) => void;
  readonly style: TerminalStyle;
  /** Whether lines can be written over. */
  readonly live: boolean;
  /** The command that runs a check alone. */
  readonly again: (check: string) => string;
}

/** Tells of a run while it goes on, for whoever writes the adapter. */
export class HumanReport {
  private readonly progress: SectionProgress;

  constructor(
    private readonly adapter: string,
    private readonly checks: readonly Check[],
    private readonly options: HumanReportOptions,
  ) {
    this.progress = new SectionProgress(checks, options.write, options.style, options.live);
  }

  start(capabilities: StorageCapabilities): void {
    const { style } = this.options;
    this.lines([style.strong(this.adapter), "", ...capabilityLines(capabilities, this.checks, style), ""]);
  }

  note(result: CheckResult): void {
    this.progress.note(result);
  }

  end({ results, duration, cpu, strayErrors }: ConformanceRun): void {
    const { style, again } = this.options;
    const context = { contracts: readContracts(), style, again };
    const failures = results.filter(({ outcome }) => outcome === "failed");
    const { checks, run, passed, failed, toWrite, notApplicable } = totalsOf(results);
    const chosen =
      checks === numberOfChecks ? counted(checks, "check") : `${checks} of ${counted(numberOfChecks, "check")}`;
    const outcome = [
      style.good(`${passed} passed`),
      failed === 0 ? "0 failed" : style.bad(`${failed} failed`),
      ...(toWrite > 0 ? [`${toWrite} to write`] : []),
      `${notApplicable} not applicable`,
    ];
    this.lines([
      "",
      ...failures.flatMap((failure, index) => failureLines(failure, index + 1, context)),
      ...unwrittenLines(results, style),
      ...strayErrors.flatMap((error) => strayErrorLines(error, style)),
      `${chosen}: ${run} run, ${outcome.join(", ")}; ${seconds(duration)}, of which ${seconds(cpu)} of computing.`,
    ]);
  }

  private lines(lines: readonly string[]): void {
    this.options.write(`${lines.join("\n")}\n`);
  }
}
