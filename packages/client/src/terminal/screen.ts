/** Text emphasis. */
export interface TerminalStyle {
  readonly strong: (text: string) => string;
  readonly faint: (text: string) => string;
}

const as = (code: number) => (text: string) => `\u001B[${code}m${text}\u001B[0m`;

const plain = (text: string) => text;

/** ANSI styles for a terminal with colors, unless `NO_COLOR` is set. Plain text otherwise. */
export function terminalStyle(stream: { readonly isTTY?: boolean; hasColors?(): boolean }): TerminalStyle {
  const colourful = stream.isTTY === true && stream.hasColors?.() === true;
  return colourful ? { strong: as(1), faint: as(2) } : { strong: plain, faint: plain };
}

/** Milliseconds between two updates. */
const interval = 200;

/** The used part of standard error. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** A line that shows progress if the stream is a terminal. */
export class ProgressLine {
  private shown = Number.NEGATIVE_INFINITY;

  constructor(private readonly stream: ProgressStream) {}

  /** Shows a text, unless the last one is recent. */
  show(textOf: () => string): void {
    const now = performance.now();
    if (this.stream.isTTY !== true || now - this.shown < interval) return;
    this.shown = now;
    this.stream.write(`\r\u001B[K${textOf()}`);
  }

  /** Removes the line. */
  clear(): void {
    if (this.stream.isTTY === true) this.stream.write("\r\u001B[K");
  }
}
