/** Room for most blocks. */
const usualSize = 1_048_576;
/** A character takes so many bytes at most. */
const bytesOfCharacter = 3;

/** Puts lines together as bytes, one after the other: as one text first they would be copied twice. */
export class LineBlock {
  /** Characters by now. */
  characters = 0;
  private bytes = Buffer.allocUnsafe(usualSize);
  private length = 0;

  add(line: string): void {
    const needed = this.length + line.length * bytesOfCharacter;
    if (needed > this.bytes.length) this.grow(needed);
    this.length += this.bytes.write(line, this.length);
    this.characters += line.length;
  }

  /** What was added; it is the caller's from now on, and the block is empty. */
  take(): Buffer {
    const taken = this.bytes.subarray(0, this.length);
    this.bytes = Buffer.allocUnsafe(usualSize);
    this.length = 0;
    this.characters = 0;
    return taken;
  }

  private grow(needed: number): void {
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.bytes.length));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }
}
