import { styleText } from "node:util";
import type { Check } from "./check.ts";
import { type CheckResult, tracesSection } from "./run-checks.ts";
import { totalsOf } from "./json-report.ts";

type Format = Parameters<typeof styleText>[0];

export interface HumanReportOptions {
  readonly write: (text: string) => void;
  readonly colourful: boolean;
  /** The command that repeats the checks of a section in a mode. */
  readonly again: (section: string, mode: Check["mode"]) => string;
}

/** Reports a run in progress: a line for each section, then the failures. */
export class HumanReport {
  private readonly waiting: Map<string, number>;
  private readonly results: CheckResult[] = [];

  constructor(
    checks: readonly Check[],
    private readonly options: HumanReportOptions,
  ) {
    const sections = [...checks.map(({ section }) => section), tracesSection, tracesSection];
    this.waiting = new Map();
    for (const section of sections) this.waiting.set(section, (this.waiting.get(section) ?? 0) + 1);
  }

  start(url: string): void {
    this.options.write(`${this.styled("bold", url)}\n\n`);
  }

  note(result: CheckResult): void {
    this.results.push(result);
    const left = (this.waiting.get(result.section) ?? 1) - 1;
    this.waiting.set(result.section, left);
    if (left === 0) this.options.write(`${this.sectionLine(result.section)}\n`);
  }

  end(): void {
    const { write } = this.options;
    const failures = this.results.filter(({ outcome }) => outcome === "failed");
    const reasons = new Set(this.results.flatMap((each) => (each.outcome === "notApplicable" ? [each.reason] : [])));
    write("\n");
    failures.forEach((failure, index) => write(this.failureText(failure, index + 1)));
    for (const reason of reasons) write(`${this.styled("dim", `Not applicable: ${reason}`)}\n`);
    const { checks, passed, failed, notApplicable } = totalsOf(this.results);
    const outcome = [
      this.styled("green", `${passed} passed`),
      this.styled(failed > 0 ? "red" : "dim", `${failed} failed`),
      `${notApplicable} not applicable`,
    ];
    const time = this.results.reduce((sum, { duration }) => sum + duration, 0);
    write(`${checks} checks: ${outcome.join(", ")}; ${(time / 1_000).toFixed(1)} s.\n`);
  }

  private sectionLine(section: string): string {
    const own = this.results.filter((each) => each.section === section);
    const { passed, failed, notApplicable } = totalsOf(own);
    const width = Math.max(...[...this.waiting.keys()].map(({ length }) => length));
    const mark = failed > 0 ? this.styled("red", "✗") : passed > 0 ? this.styled("green", "✓") : "–";
    const counts = [
      ...(passed > 0 ? [`${passed} passed`] : []),
      ...(failed > 0 ? [this.styled("red", `${failed} failed`)] : []),
      ...(notApplicable > 0 ? [`${notApplicable} not applicable`] : []),
    ];
    const time = own.reduce((sum, { duration }) => sum + duration, 0);
    return `${mark} ${section.padEnd(width)}  ${counts.join(", ")}  ${this.styled("dim", `${(time / 1_000).toFixed(1)} s`)}`;
  }

  private failureText({ section, title, mode, reason = "" }: CheckResult, number: number): string {
    const place = mode === null ? section : `${section}, ${mode} mode`;
    const again = section === tracesSection ? "" : `   ${this.styled("dim", this.options.again(section, mode))}\n`;
    const body = reason
      .split("\n")
      .map((line) => `   ${line}`)
      .join("\n");
    return `${this.styled("red", `${number}) ${place}: ${title}`)}\n${body}\n${again}\n`;
  }

  private styled(format: Format, text: string): string {
    return this.options.colourful ? styleText(format, text) : text;
  }
}
