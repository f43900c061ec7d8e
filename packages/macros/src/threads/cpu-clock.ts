import { readFileSync } from "node:fs";

/** Below this, time that passes while an entry runs is taken for time that it ran. */
const FIRST_LOOK = 20;

/** Milliseconds that this thread has run; where the system does not tell, milliseconds that have passed. */
function threadTime(): number {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "latin1").split(" ", 1)[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

/**
 * How long an entry has run. A thread of low priority can stand still for long on a busy machine: after a while the system
 * is asked how much of the time it really ran.
 */
export class CpuClock {
  private readonly limit: number;
  private spent = 0;
  private since = 0;
  private nextLook = Infinity;
  private look: { readonly at: number; readonly spent: number } | undefined;

  constructor(limit: number) {
    this.limit = limit;
  }

  start(): void {
    this.since = performance.now();
    this.look = undefined;
    this.nextLook = this.since + Math.min(FIRST_LOOK, this.limit - this.spent);
  }

  stop(): void {
    this.spent = this.total();
    this.nextLook = Infinity;
    this.look = undefined;
  }

  /** Counts what was run elsewhere on account of this entry. */
  charge(milliseconds: number): void {
    this.spent += milliseconds;
  }

  /** Whether more than the limit was run. Cheap, as long as little time passed. */
  isOver(): boolean {
    const now = performance.now();
    if (now < this.nextLook) return false;
    if (this.look === undefined) {
      this.look = { at: threadTime(), spent: this.spent + (now - this.since) };
    }
    const left = this.limit - this.total();
    this.nextLook = now + Math.max(left, 1);
    return left <= 0;
  }

  /** Milliseconds of running, while it runs. */
  total(): number {
    if (this.look !== undefined) return this.look.spent + (threadTime() - this.look.at);
    return this.nextLook === Infinity ? this.spent : this.spent + (performance.now() - this.since);
  }
}
