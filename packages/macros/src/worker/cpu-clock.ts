import { openSync, readSync } from "node:fs";

/** Milliseconds that are taken from the wall clock: the scheduler statistics are not finer. */
const SHORT = 20;

/**
 * Measures the CPU time of an invocation. Time without the CPU does not count, as low-priority threads can wait long.
 * The system is asked only when the wall clock suggests that the limit is reached.
 */
export class CpuClock {
  private spent = 0;
  private since = 0;
  private ranThen = 0;
  private nextLook = Infinity;

  constructor(private readonly limit: number) {}

  start(): void {
    this.since = performance.now();
    this.ranThen = threadTime();
    this.nextLook = this.since + Math.max(this.limit - this.spent, 1);
  }

  stop(): void {
    this.spent = this.total();
    this.nextLook = Infinity;
  }

  /** Adds the CPU time of nested invocations. */
  charge(milliseconds: number): void {
    this.spent += milliseconds;
  }

  /** Whether the limit is reached. */
  isOver(): boolean {
    const now = performance.now();
    if (now < this.nextLook) return false;
    const left = this.limit - this.total();
    this.nextLook = now + Math.max(left, 1);
    return left <= 0;
  }

  /** CPU time in milliseconds. */
  total(): number {
    if (this.nextLook === Infinity) return this.spent;
    const passed = performance.now() - this.since;
    return this.spent + (passed < SHORT ? passed : threadTime() - this.ranThen);
  }
}

/** Linux statistics of a thread: nanoseconds on the CPU, nanoseconds in the run queue, number of time slices. */
const SCHEDSTAT = "/proc/thread-self/schedstat";
const statBuffer = Buffer.alloc(64);

function open(): number | undefined {
  try {
    return openSync(SCHEDSTAT, "r");
  } catch {
    return undefined;
  }
}

const file = open();

/** CPU time of this thread in milliseconds; the wall clock on systems without `schedstat`. */
function threadTime(): number {
  if (file === undefined) return performance.now();
  const length = readSync(file, statBuffer, 0, statBuffer.length, 0);
  return Number(statBuffer.toString("latin1", 0, length).split(" ", 1)[0]) / 1e6;
}
