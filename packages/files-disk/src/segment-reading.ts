import type { FileHandle } from "node:fs/promises";
import { type ByteRange, ServiceError } from "@sallyport/storage";

/** Bytes per chunk. The network takes longer chunks in parts. */
const chunkSize = 65_536;
/** Bytes that are read at once. A read takes as long as the copying of some chunks. */
const readSize = 4 * chunkSize;

/**
 * The bytes of a range. Not a generator: a generator that ends before its first step runs no `finally`, and its descriptor
 * would stay open.
 */
export class SegmentReading implements AsyncIterableIterator<Uint8Array> {
  private position: number;
  private readonly end: number;
  /** Bytes that were read. */
  private rest: Uint8Array = new Uint8Array(0);

  constructor(
    private readonly handle: FileHandle,
    { offset, length }: ByteRange,
  ) {
    this.position = offset;
    this.end = offset + length;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.rest.length > 0) return this.chunk();
    if (this.position >= this.end) return this.return();
    try {
      // Each read has memory of its own, because the caller keeps the chunks.
      const bytes = Buffer.allocUnsafeSlow(Math.min(readSize, this.end - this.position));
      const { bytesRead } = await this.handle.read(bytes, 0, bytes.length, this.position);
      if (bytesRead === 0) throw new RangeError(`The file ends at ${this.position}, before ${this.end}.`);
      this.position += bytesRead;
      this.rest = bytes.subarray(0, bytesRead);
      return this.chunk();
    } catch (cause) {
      await this.return();
      throw new ServiceError(707, { cause });
    }
  }

  private chunk(): IteratorResult<Uint8Array, undefined> {
    const value = this.rest.subarray(0, chunkSize);
    this.rest = this.rest.subarray(chunkSize);
    return { done: false, value };
  }

  /** Closes the descriptor, after a step that is still running. */
  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.position = this.end;
    this.rest = new Uint8Array(0);
    await this.handle.close().catch(() => {});
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
