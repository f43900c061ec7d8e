import { describeCapabilities } from "@sallyport/storage";
import { type Check, missingFor, type Need } from "../check.ts";
import { readContracts } from "../contract/contracts.ts";
import { numberOfChecks } from "../number-of-checks.ts";
import type { Declared } from "../open-under-test.ts";
import type { CheckResult } from "../run-check.ts";
import type { ConformanceRun } from "../run-checks.ts";
import { counted, seconds } from "./counted.ts";
import { failureLines, strayErrorLines } from "./failure-lines.ts";
import { SectionProgress } from "./section-progress.ts";
import type { TerminalStyle } from "./terminal-style.ts";
import { totalsOf } from "./totals.ts";

/** Maximum number of unimplemented calls to list. */
const shownMessages = 8;
const barWidth = 40;

/** Progress of the implementation, and the unimplemented calls that block the most checks. */
function notImplementedLines(results: readonly CheckResult[], { strong, good, faint }: TerminalStyle): string[] {
  const waiting = new Map<string, number>();
  for (const { outcome, error } of results) {
    if (outcome !== "notImplemented") continue;
    const { message } = error as Error;
    waiting.set(message, (waiting.get(message) ?? 0) + 1);
  }
  if (waiting.size === 0) return [];
  const passed = results.filter(({ outcome }) => outcome === "passed").length;
  const all = results.filter(({ outcome }) => outcome !== "notApplicable").length;
  const filled = Math.floor((passed / all) * barWidth);
  const byCount = [...waiting].toSorted(([, one], [, other]) => other - one);
  return [
    `${good("█".repeat(filled))}${faint("░".repeat(barWidth - filled))} ${passed} of ${counted(all, "check")}`,
    "",
    strong("Implement next"),
    ...byCount
      .slice(0, shownMessages)
      .map(([message, count]) => `  ${message} ${faint(`Blocks ${counted(count, "check")}`)}`),
    ...(byCount.length > shownMessages ? [faint(`  and ${byCount.length - shownMessages} more`)] : []),
    "",
  ];
}

export interface HumanReportOptions {
  readonly write: (text: string) => void;
  readonly style: TerminalStyle;
  /** Whether the terminal can overwrite lines. */
  readonly live: boolean;
  /** The command that reruns a single check. */
  readonly again: (check: string) => string;
}

/** Reports a run in progress to the adapter's author. */
export class HumanReport {
  private readonly progress: SectionProgress;

  constructor(
    private readonly adapter: string,
    private readonly checks: readonly Check[],
    private readonly options: HumanReportOptions,
  ) {
    this.progress = new SectionProgress(checks, options.write, options.style, options.live);
  }

  start(declared: Declared): void {
    const { style } = this.options;
    this.lines([style.strong(this.adapter), "", ...declarationLines(declared, this.checks, style), ""]);
  }

  note(result: CheckResult): void {
    this.progress.note(result);
  }

  end({ results, duration, cpu, strayErrors }: ConformanceRun): void {
    const { style, again } = this.options;
    const context = { contracts: readContracts(), style, again };
    const failures = results.filter(({ outcome }) => outcome === "failed");
    const { checks, run, passed, failed, notImplemented, notApplicable } = totalsOf(results);
    const chosen =
      checks === numberOfChecks ? counted(checks, "check") : `${checks} of ${counted(numberOfChecks, "check")}`;
    const outcome = [
      style.good(`${passed} passed`),
      failed === 0 ? "0 failed" : style.bad(`${failed} failed`),
      ...(notImplemented > 0 ? [`${notImplemented} not implemented`] : []),
      `${notApplicable} not applicable`,
    ];
    this.lines([
      "",
      ...failures.flatMap((failure, index) => failureLines(failure, index + 1, context)),
      ...notImplementedLines(results, style),
      ...strayErrors.flatMap((error) => strayErrorLines(error, style)),
      `${chosen}: ${run} run, ${outcome.join(", ")}; ${seconds(duration)}, CPU ${seconds(cpu)}.`,
    ]);
  }

  private lines(lines: readonly string[]): void {
    this.options.write(`${lines.join("\n")}\n`);
  }
}

const kindWords = { kernel: "a kernel", storage: "a whole storage" } as const;

/** The declared capabilities, and the number of checks that do not apply. */
function declarationLines(declared: Declared, checks: readonly Check[], { strong, faint }: TerminalStyle): string[] {
  const leftOut = new Map<Need, number>();
  for (const check of checks) {
    const missing = missingFor(check, declared);
    if (missing !== null) leftOut.set(missing, (leftOut.get(missing) ?? 0) + 1);
  }
  const words: [Need, string][] = [
    ...describeCapabilities(declared.capabilities),
    ...(checks.some(({ needs }) => needs === "kernel") ? [["kernel", kindWords[declared.kind]] as [Need, string]] : []),
  ];
  const width = Math.max(...words.map(([name]) => name.length));
  const lines = words.map(([name, word]) => {
    const number = leftOut.get(name) ?? 0;
    return `  ${name.padEnd(width)}  ${word}${faint(number === 0 ? "" : `; ${counted(number, "check")} not applicable`)}`;
  });
  return [strong("Declared capabilities"), ...lines];
}
