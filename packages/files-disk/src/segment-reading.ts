import type { FileHandle } from "node:fs/promises";
import { type ByteRange, ServiceError } from "@sallyport/storage";

/** Bytes per chunk. */
const chunkSize = 65_536;

/**
 * The bytes of a range. Not a generator: a generator that ends before its first step runs no `finally`, and its descriptor
 * would stay open.
 */
export class SegmentReading implements AsyncIterableIterator<Uint8Array> {
  private position: number;
  private readonly end: number;

  constructor(
    private readonly handle: FileHandle,
    { offset, length }: ByteRange,
  ) {
    this.position = offset;
    this.end = offset + length;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.position >= this.end) return this.return();
    try {
      // Each chunk has memory of its own, because the caller keeps it.
      const chunk = Buffer.allocUnsafeSlow(Math.min(chunkSize, this.end - this.position));
      const { bytesRead } = await this.handle.read(chunk, 0, chunk.length, this.position);
      if (bytesRead === 0) throw new RangeError(`The file ends at ${this.position}, before ${this.end}.`);
      this.position += bytesRead;
      return { done: false, value: chunk.subarray(0, bytesRead) };
    } catch (cause) {
      await this.return();
      throw new ServiceError(707, { cause });
    }
  }

  /** Closes the descriptor, after a step that is still running. */
  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.position = this.end;
    await this.handle.close().catch(() => {});
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
