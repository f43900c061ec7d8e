/**
 * Until when the thread of the database may work on what it was given: told by the thread when it begins, so that what waits
 * behind something else is not counted, and looked at from beside it. Both read the one monotonic clock of the process.
 */
export class Deadline {
  readonly #moment: BigInt64Array;

  /** @param memory of another's deadline, to see the same */
  constructor(readonly memory: SharedArrayBuffer = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)) {
    this.#moment = new BigInt64Array(memory);
  }

  /** @param milliseconds 0 for as long as it takes */
  set(milliseconds: number): void {
    Atomics.store(
      this.#moment,
      0,
      milliseconds === 0 ? 0n : process.hrtime.bigint() + BigInt(milliseconds) * 1_000_000n,
    );
  }

  clear(): void {
    this.set(0);
  }

  get passed(): boolean {
    const moment = Atomics.load(this.#moment, 0);
    return moment !== 0n && process.hrtime.bigint() > moment;
  }
}
