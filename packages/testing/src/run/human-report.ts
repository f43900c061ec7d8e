import { styleText } from "node:util";
import { type CheckResult, totalsOf } from "./check.ts";
import type { Terminal } from "./command-line.ts";

type Format = Parameters<typeof styleText>[0];

export interface HumanReportOptions {
  readonly stdout: Terminal["stdout"];
  /** The command that repeats a failed check; `null` if there is none. */
  readonly again: (result: CheckResult) => string | null;
}

/** Reports a run in progress: a line for each section, then the failures. */
export class HumanReport {
  private readonly waiting: Map<string, number>;
  private readonly results: CheckResult[] = [];

  /** `sections`: the section of each check. */
  constructor(
    sections: readonly string[],
    private readonly options: HumanReportOptions,
  ) {
    this.waiting = new Map();
    for (const section of sections) this.waiting.set(section, (this.waiting.get(section) ?? 0) + 1);
  }

  start(url: string): void {
    this.write(`${this.styled("bold", url)}\n\n`);
  }

  note(result: CheckResult): void {
    this.results.push(result);
    const left = (this.waiting.get(result.section) ?? 1) - 1;
    this.waiting.set(result.section, left);
    if (left === 0) this.write(`${this.sectionLine(result.section)}\n`);
  }

  end(): void {
    const begun = new Set(this.results.map(({ section }) => section));
    for (const [section, left] of this.waiting)
      if (left > 0 && begun.has(section)) this.write(`${this.sectionLine(section)}\n`);
    const failures = this.results.filter(({ outcome }) => outcome === "failed");
    const reasons = new Set(this.results.flatMap((each) => (each.outcome === "notApplicable" ? [each.reason] : [])));
    this.write("\n");
    failures.forEach((failure, index) => this.write(this.failureText(failure, index + 1)));
    for (const reason of reasons) this.write(`${this.styled("dim", `Not applicable: ${reason}`)}\n`);
    const { checks, passed, failed, notApplicable } = totalsOf(this.results);
    const outcome = [
      this.styled("green", `${passed} passed`),
      this.styled(failed > 0 ? "red" : "dim", `${failed} failed`),
      `${notApplicable} not applicable`,
    ];
    const time = this.results.reduce((sum, { duration }) => sum + duration, 0);
    this.write(`${checks} checks: ${outcome.join(", ")}; ${(time / 1_000).toFixed(1)} s.\n`);
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

  private failureText(result: CheckResult, number: number): string {
    const { section, title, mode, reason = "" } = result;
    const place = mode === null ? section : `${section}, ${mode} mode`;
    const command = this.options.again(result);
    const again = command === null ? "" : `   ${this.styled("dim", command)}\n`;
    const body = reason
      .split("\n")
      .map((line) => `   ${line}`)
      .join("\n");
    return `${this.styled("red", `${number}) ${place}: ${title}`)}\n${body}\n${again}\n`;
  }

  private styled(format: Format, text: string): string {
    const { stdout } = this.options;
    return stdout.isTTY === true && stdout.hasColors?.() === true ? styleText(format, text) : text;
  }

  private write(text: string): void {
    this.options.stdout.write(text);
  }
}
