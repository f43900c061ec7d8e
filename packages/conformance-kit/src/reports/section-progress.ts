import type { Check } from "../check.ts";
import type { CheckResult } from "../run-check.ts";
import { seconds } from "./counted.ts";
import type { TerminalStyle } from "./terminal-style.ts";
import { totalsOf } from "./totals.ts";

/** A line that the next one overwrites; only terminals support it. */
const overwritten = (line: string) => `${line}\r\u001B[K`;

/** Writes a line for each completed section, in section order. */
export class SectionProgress {
  private readonly sizes = new Map<string, number>();
  private readonly results = new Map<string, CheckResult[]>();
  private readonly width: number;

  constructor(
    checks: readonly Check[],
    private readonly write: (text: string) => void,
    private readonly style: TerminalStyle,
    /** Whether to show the running section, too. */
    private readonly live: boolean,
  ) {
    for (const { section } of checks) this.sizes.set(section, (this.sizes.get(section) ?? 0) + 1);
    this.width = Math.max(0, ...Array.from(this.sizes.keys(), ({ length }) => length));
  }

  note(result: CheckResult): void {
    const results = this.results.get(result.section) ?? [];
    this.results.set(result.section, [...results, result]);
    for (const [section, size] of this.sizes) {
      const done = this.results.get(section) ?? [];
      if (done.length < size) {
        if (this.live)
          this.write(overwritten(this.style.faint(`… ${section.padEnd(this.width)}  ${done.length} of ${size}`)));
        return;
      }
      this.write(`${this.line(section, done)}\n`);
      this.sizes.delete(section);
    }
  }

  private line(section: string, results: readonly CheckResult[]): string {
    const { passed, failed, notImplemented, notApplicable } = totalsOf(results);
    const { good, bad, faint } = this.style;
    const mark = failed > 0 ? bad("✗") : notImplemented > 0 ? "·" : passed > 0 ? good("✓") : faint("–");
    const counts = [
      ...(passed > 0 ? [good(`${passed} passed`)] : []),
      ...(failed > 0 ? [bad(`${failed} failed`)] : []),
      ...(notImplemented > 0 ? [`${notImplemented} not implemented`] : []),
      ...(notApplicable > 0 ? [faint(`${notApplicable} not applicable`)] : []),
    ];
    const time = seconds(results.reduce((sum, { duration }) => sum + duration, 0));
    return `${mark} ${section.padEnd(this.width)}  ${counts.join(", ")}  ${faint(time)}`;
  }
}
