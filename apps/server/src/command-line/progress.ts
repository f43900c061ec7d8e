import type { ArchiveChunk, ArchiveRecord, RecordOf } from "@sallyport/storage";
import type { ArchivedFile } from "@sallyport/core";
import { byteText, ProgressLine, type ProgressStream } from "@sallyport/client/terminal";

const barLength = 24;

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

/** Counts objects and files, and shows a progress bar if the stream is a terminal. */
export class ArchiveProgress {
  /** Number of processed objects. */
  done = 0;
  /** Number of processed files. */
  files = 0;
  settings: RecordOf<"settings"> | null = null;
  private bytes = 0;
  private readonly start = performance.now();
  private readonly line: ProgressLine;

  constructor(
    private readonly verb: string,
    stream: ProgressStream,
  ) {
    this.line = new ProgressLine(stream);
  }

  /** Passes on records, or parts of them, and counts them. */
  async *watch<Part extends ArchiveRecord | ArchiveChunk | ArchivedFile>(
    stream: AsyncIterable<Part>,
  ): AsyncGenerator<Part> {
    try {
      for await (const part of stream) {
        if ("bytes" in part) {
          this.files += 1;
          yield { ...part, bytes: this.watchBytes(part.bytes) };
          continue;
        }
        const [first, records] = "section" in part ? [part, 1] : [part[0], part.length];
        if (first?.section === "settings") this.settings = first;
        if (first?.section === "objects") this.done += records;
        if (records > 1 || this.done % 256 === 0) this.line.show(() => this.objectsText());
        yield part;
      }
    } finally {
      this.line.clear();
    }
  }

  private async *watchBytes(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const bytes of stream) {
      this.bytes += bytes.length;
      this.line.show(() => `${this.verb} ${counted(this.files, "file")}, ${byteText(this.bytes)}`);
      yield bytes;
    }
  }

  private objectsText(): string {
    const total = this.settings?.objects ?? 0;
    const rate = Math.round(this.done / Math.max(0.001, (performance.now() - this.start) / 1000));
    const objects = `${grouped(this.done)} of ${grouped(total)} objects`;
    return `${this.verb} ${progressBar(this.done, total)}, ${objects}, ${grouped(rate)}/s`;
  }
}
