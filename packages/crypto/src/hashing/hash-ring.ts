/** What a thread is asked to do. `update` is followed by its bytes. */
export const operations = { open: 1, update: 2, copy: 3, digest: 4, close: 5 } as const;

export interface HashRequest {
  readonly operation: (typeof operations)[keyof typeof operations];
  readonly stream: number;
  /** `open` and `copy`: 1 with MD5. `digest`: the number of the reply. `update`: the number of bytes. */
  readonly value: number;
  /** `copy`: the new stream. */
  readonly target: number;
}

/** The memory of a ring. */
export interface RingMemory {
  /** How many bytes were written and read, and whether the writer waits for room. */
  readonly state: SharedArrayBuffer;
  readonly bytes: SharedArrayBuffer;
}

const [written, read, isWaiting] = [0, 1, 2];
/** Bytes of a request, and the unit of all places: none crosses the end of the ring. */
const unit = 16;

/**
 * Requests on their way from one thread to another, in shared memory: a message costs as much as the digest of some
 * kilobytes. One thread writes, the other reads.
 */
export class HashRing {
  readonly #state: Int32Array;
  readonly #bytes: Buffer;

  /** @param memory that of `memoryOf` */
  constructor({ state, bytes }: RingMemory) {
    this.#state = new Int32Array(state);
    this.#bytes = Buffer.from(bytes);
  }

  /** @param size a power of two */
  static memoryOf(size: number): RingMemory {
    return { state: new SharedArrayBuffer(12), bytes: new SharedArrayBuffer(size) };
  }

  /**
   * Writes a request with as many of its bytes as there is room for. Returns the number of bytes; `undefined` if there is
   * not even room for the request.
   */
  write({ operation, stream, value, target }: HashRequest, payload: Uint8Array): number | undefined {
    const start = this.#state[written] as number;
    const room = this.#bytes.length - this.#used(start, Atomics.load(this.#state, read));
    if (room < unit + Math.min(unit, payload.length)) return undefined;
    const length = Math.min(payload.length, room - unit);
    const at = this.#placeOf(start);
    this.#bytes.writeUInt32LE(operation, at);
    this.#bytes.writeUInt32LE(stream, at + 4);
    this.#bytes.writeUInt32LE(operation === operations.update ? length : value, at + 8);
    this.#bytes.writeUInt32LE(target, at + 12);
    const first = this.#placeOf(start + unit);
    const untilEnd = Math.min(length, this.#bytes.length - first);
    this.#bytes.set(payload.subarray(0, untilEnd), first);
    this.#bytes.set(payload.subarray(untilEnd, length), 0);
    Atomics.store(this.#state, written, (start + unit + padded(length)) | 0);
    Atomics.notify(this.#state, written);
    return length;
  }

  /** Asks the reader to tell when there is room. `false` if there is some by now. */
  awaitRoom(): boolean {
    Atomics.store(this.#state, isWaiting, 1);
    const room = this.#bytes.length - this.#used(this.#state[written] as number, Atomics.load(this.#state, read));
    return room < this.#bytes.length / 2;
  }

  /** Whether the writer waits and half of the ring is free. Tells it once. */
  hasRoomForWaiting(): boolean {
    const used = this.#used(Atomics.load(this.#state, written), this.#state[read] as number);
    return used <= this.#bytes.length / 2 && Atomics.exchange(this.#state, isWaiting, 0) === 1;
  }

  /** Blocks the thread until there is a request. `take` receives it, with its bytes in one or two parts, before they are freed. */
  next(take: (request: HashRequest, parts: readonly Uint8Array[]) => void): void {
    const start = this.#state[read] as number;
    while (Atomics.load(this.#state, written) === start) Atomics.wait(this.#state, written, start);
    const at = this.#placeOf(start);
    const request = {
      operation: this.#bytes.readUInt32LE(at) as HashRequest["operation"],
      stream: this.#bytes.readUInt32LE(at + 4),
      value: this.#bytes.readUInt32LE(at + 8),
      target: this.#bytes.readUInt32LE(at + 12),
    };
    const length = request.operation === operations.update ? request.value : 0;
    const first = this.#placeOf(start + unit);
    const untilEnd = Math.min(length, this.#bytes.length - first);
    take(request, [this.#bytes.subarray(first, first + untilEnd), this.#bytes.subarray(0, length - untilEnd)]);
    Atomics.store(this.#state, read, (start + unit + padded(length)) | 0);
  }

  #used(writtenTo: number, readTo: number): number {
    return (writtenTo - readTo) >>> 0;
  }

  #placeOf(position: number): number {
    return (position >>> 0) & (this.#bytes.length - 1);
  }
}

function padded(length: number): number {
  return Math.ceil(length / unit) * unit;
}
