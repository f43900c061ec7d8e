import type { After } from "@sallyport/core";

interface Waiting {
  /** By the test's clock. */
  readonly due: number;
  readonly call: () => void;
}

/** Milliseconds by which a check moves the clock: more than two calls take. */
const probe = 86_400_000;

/** The machine's clock with an offset, and timers that an advance of the clock fires early. */
export class TestClock {
  private ahead = 0;
  private readonly waiting = new Set<Waiting>();
  /** Why the clock cannot be moved; `null` if it can. */
  private obstacle: string | null = null;

  /** Milliseconds by which the clock is ahead of the machine's. */
  get offset(): number {
    return this.ahead;
  }

  readonly now = (): number => Date.now() + this.ahead;

  readonly after: After = (milliseconds, call) => {
    const waiting = { due: this.now() + milliseconds, call: () => end(call) };
    const timeout = setTimeout(() => waiting.call(), milliseconds).unref();
    const end = (then?: () => void): void => {
      clearTimeout(timeout);
      if (this.waiting.delete(waiting)) then?.();
    };
    this.waiting.add(waiting);
    return () => end();
  };

  /** Checks that a storage of an adapter shows the time of this clock. Otherwise, `advance` throws. */
  async checkFollower(now: () => Promise<number>, adapter: string): Promise<void> {
    const before = await now();
    this.ahead += probe;
    const after = await now();
    this.ahead -= probe;
    if (after - before < probe)
      this.obstacle = `The storage adapter ${adapter} has a clock of its own, so the clock of the service cannot be moved. Its \`openKernel(options, { clockOffset })\` must add \`clockOffset()\` milliseconds to each time.`;
  }

  /** Moves the clock forward. The timers that are due then fire, the earliest first. Throws an `Error` if a storage does not follow. */
  advance(milliseconds: number): void {
    if (this.obstacle !== null) throw new Error(this.obstacle);
    this.ahead += milliseconds;
    const now = this.now();
    const due = [...this.waiting].filter((each) => each.due <= now).toSorted((one, other) => one.due - other.due);
    for (const { call } of due) call();
  }

  /** Shows the machine's time again. Waits that began before end with their own timers. */
  reset(): void {
    this.ahead = 0;
  }
}
