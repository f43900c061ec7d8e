import { ArchiveChecksum } from "./archive-checksum.ts";
import { ArchiveFault } from "./archive-fault.ts";

export interface ArchiveLine {
  readonly number: number;
  readonly text: string;
}

/** More than any line of an archive has; what is longer is something else. */
const longestLine = 64 * 1_048_576;
const lineBreak = 0x0a;

/** Cuts bytes into lines, and knows the checksum of those that were read. */
export class ArchiveLines {
  private checksum = new ArchiveChecksum();
  private bytes: Buffer = Buffer.alloc(0);
  /** Up to where the bytes are in the checksum. */
  private checked = 0;
  /** Where the line begins that was read last, and the one behind it. */
  private current = 0;
  private next = 0;

  constructor(private readonly chunks: AsyncIterable<Uint8Array>) {}

  /** The check line of all lines before the one that was read last. */
  checkLine(): string {
    this.check(this.current);
    return this.checksum.line();
  }

  /** Lets checksums begin with the line behind the one that was read last. */
  startOver(): void {
    this.checksum = new ArchiveChecksum();
    this.checked = this.next;
  }

  /** Lines with their numbers, from 1, without their breaks. A last line without one is refused. */
  async *read(): AsyncGenerator<ArchiveLine> {
    let number = 0;
    for await (const chunk of this.chunks) {
      this.append(chunk);
      for (let end = this.lineEnd(); end >= 0; end = this.lineEnd()) {
        number += 1;
        this.current = this.next;
        this.next = end + 1;
        yield { number, text: this.bytes.toString("utf8", this.current, end) };
      }
      if (this.bytes.length - this.next > longestLine)
        throw new ArchiveFault(number + 1, "it is too long to be a line of an archive.");
    }
    if (this.next < this.bytes.length)
      throw new ArchiveFault(number + 1, "the archive ends in the middle of this line.");
  }

  private lineEnd(): number {
    return this.bytes.indexOf(lineBreak, this.next);
  }

  /** Keeps what is left of the bytes, and puts more behind it. */
  private append(chunk: Uint8Array): void {
    this.check(this.next);
    this.bytes = Buffer.concat([this.bytes.subarray(this.next), chunk]);
    [this.checked, this.current, this.next] = [0, 0, 0];
  }

  private check(upTo: number): void {
    if (upTo > this.checked) this.checksum.add(this.bytes.subarray(this.checked, upTo));
    this.checked = Math.max(this.checked, upTo);
  }
}
