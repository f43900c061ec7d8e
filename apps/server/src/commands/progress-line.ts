/** Milliseconds between two updates. */
const interval = 200;
const barLength = 24;

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

/** A bar and a percentage. */
export function progressBar(done: number, total: number): string {
  const part = total === 0 ? 1 : Math.min(1, done / total);
  const bar = "█".repeat(Math.floor(part * barLength)).padEnd(barLength, "·");
  return `${bar} ${String(Math.floor(part * 100)).padStart(3)} %`;
}

/** An integer with thousands separators. */
export function grouped(number: number): string {
  return number.toLocaleString("en");
}

/** A number of things, such as `1 file` or `2,000 files`. */
export function counted(number: number, thing: string): string {
  return `${grouped(number)} ${thing}${number === 1 ? "" : "s"}`;
}

const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];

/** A number of bytes in the unit that fits, such as `1.5 MiB`. */
export function byteText(bytes: number): string {
  if (bytes === 1) return "1 byte";
  const power = bytes < 1_024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1_024 ** power).toLocaleString("en", { maximumFractionDigits: 1 })} ${units[power]}`;
}
