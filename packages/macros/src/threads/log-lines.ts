const LONGEST_LINE = 2_000;
const MOST_LINES = 200;
const MOST_CHARACTERS = 65_536;

/** The lines that an entry writes, as many as may be. */
export class LogLines {
  private lines: string[] = [];
  private written = 0;
  private characters = 0;
  private leftOut = 0;

  add(line: string): void {
    const text = line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line;
    if (this.written === MOST_LINES || this.characters + text.length > MOST_CHARACTERS) {
      this.leftOut += 1;
      return;
    }
    this.written += 1;
    this.characters += text.length;
    this.lines.push(text);
  }

  /** Those since the last time. */
  take(): readonly string[] {
    const { lines } = this;
    this.lines = [];
    return lines;
  }

  /** The last ones, and how many there would have been. */
  close(): readonly string[] {
    const lines = this.take();
    return this.leftOut === 0 ? lines : [...lines, `${this.leftOut} more lines were left out`];
  }
}
