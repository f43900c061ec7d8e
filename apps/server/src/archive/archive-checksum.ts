import { createHash } from "node:crypto";

/** The SHA-256 of all lines so far, so that lines can be neither altered nor moved. */
export class ArchiveChecksum {
  private readonly hash = createHash("sha256");

  add(bytes: Uint8Array): void {
    this.hash.update(bytes);
  }

  /** Of what was added by now. */
  line(): string {
    return `${JSON.stringify({ check: this.hash.copy().digest("hex") })}\n`;
  }
}

/** The check line of these lines alone. */
export function checkLineOf(lines: string): string {
  const checksum = new ArchiveChecksum();
  checksum.add(Buffer.from(lines));
  return checksum.line();
}
