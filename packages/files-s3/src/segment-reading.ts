import type { Readable } from "node:stream";
import { type ByteRange, ServiceError } from "@sallyport/storage";

/** Opens the bytes from an offset to the end of the range. */
type Open = (range: ByteRange) => Promise<Readable>;

/**
 * The bytes of a range. Continues on a new connection when one breaks: object storage closes connections whose reader
 * pauses. Not a generator: a generator that ends before its first step runs no `finally`, and its connection would stay open.
 */
export class SegmentReading implements AsyncIterableIterator<Uint8Array> {
  private readonly end: number;
  private position: number;
  private body: Readable | null = null;
  private chunks: AsyncIterator<Uint8Array> | null = null;
  /** Where the connection began. A connection that brings no byte is the last. */
  private openedAt = -1;

  private constructor(
    { offset, length }: ByteRange,
    private readonly openAt: Open,
  ) {
    this.position = offset;
    this.end = offset + length;
  }

  static async open(range: ByteRange, openAt: Open): Promise<SegmentReading> {
    const reading = new SegmentReading(range, openAt);
    if (range.length > 0) await reading.connect();
    return reading;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    while (this.position < this.end) {
      try {
        const step = await this.chunks?.next();
        if (step !== undefined && step.done !== true) {
          this.position += step.value.length;
          return { done: false, value: step.value };
        }
        // The bytes ended too early: as if the connection had broken.
        await this.reconnect();
      } catch (error) {
        await this.reconnect(error);
      }
    }
    // The connection can be used again once its end is read.
    await this.chunks?.next().catch(() => {});
    return this.return();
  }

  /** Closes the connection. */
  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.position = this.end;
    this.chunks = null;
    this.body?.destroy();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private async reconnect(cause?: unknown): Promise<void> {
    this.body?.destroy();
    if (this.position >= this.end) return;
    try {
      if (this.position === this.openedAt) throw cause ?? new RangeError(`The bytes end at ${this.position}.`);
      await this.connect();
    } catch (error) {
      this.position = this.end;
      throw new ServiceError(707, { cause: error });
    }
  }

  private async connect(): Promise<void> {
    this.openedAt = this.position;
    const body = await this.openAt({ offset: this.position, length: this.end - this.position });
    // It may have been closed in the meantime.
    if (this.position >= this.end) body.destroy();
    [this.body, this.chunks] = [body, body[Symbol.asyncIterator]()];
  }
}
