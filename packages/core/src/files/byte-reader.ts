/** Reads an iteration of bytes in portions of a chosen length. */
export class ByteReader {
  private readonly source: AsyncIterator<Uint8Array>;
  private rest: Uint8Array = new Uint8Array(0);
  private taken = 0;

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.source = bytes[Symbol.asyncIterator]();
  }

  /** Number of bytes taken so far. */
  get position(): number {
    return this.taken;
  }

  /** The next `length` bytes, or fewer if the source ends. Ending the iteration early does not end the source. */
  async *take(length: number): AsyncGenerator<Uint8Array, void, undefined> {
    for (let missing = length; missing > 0; ) {
      const bytes = await this.next();
      if (bytes === null) return;
      const part = bytes.subarray(0, missing);
      this.rest = bytes.subarray(part.length);
      missing -= part.length;
      this.taken += part.length;
      yield part;
    }
  }

  async isAtEnd(): Promise<boolean> {
    const bytes = await this.next();
    if (bytes !== null) this.rest = bytes;
    return bytes === null;
  }

  /** Releases the source. */
  async close(): Promise<void> {
    await this.source.return?.();
  }

  private async next(): Promise<Uint8Array | null> {
    for (;;) {
      if (this.rest.length > 0) {
        const { rest } = this;
        this.rest = new Uint8Array(0);
        return rest;
      }
      const { done, value } = await this.source.next();
      if (done === true) return null;
      this.rest = value;
    }
  }
}
