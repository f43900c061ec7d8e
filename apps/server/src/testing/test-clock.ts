import type { After } from "@sallyport/core";

interface Waiting {
  /** By the test's clock. */
  readonly due: number;
  readonly call: () => void;
}

/** The machine's clock with an offset, and timers that an advance of the clock fires early. */
export class TestClock {
  private ahead = 0;
  private readonly waiting = new Set<Waiting>();

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

  /** Moves the clock forward. The timers that are due then fire, the earliest first. */
  advance(milliseconds: number): void {
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
