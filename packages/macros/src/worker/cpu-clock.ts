import { openSync, readSync } from "node:fs";

/** Milliseconds that count as running without a look: the system tells it no finer. */
const SHORT = 20;

/**
 * How long an invocation has run. On a busy machine a thread of low priority can stand still for long, which does not
 * count: the system is asked for the real time, but only when the wall clock says that it could be too much.
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

  /** Adds time that nested invocations ran. */
  charge(milliseconds: number): void {
    this.spent += milliseconds;
  }

  /** Whether more than the limit was run. */
  isOver(): boolean {
    const now = performance.now();
    if (now < this.nextLook) return false;
    const left = this.limit - this.total();
    this.nextLook = now + Math.max(left, 1);
    return left <= 0;
  }

  /** Milliseconds of running. */
  total(): number {
    if (this.nextLook === Infinity) return this.spent;
    const passed = performance.now() - this.since;
    return this.spent + (passed < SHORT ? passed : threadTime() - this.ranThen);
  }
}

/** Of a thread on Linux: nanoseconds that it ran, nanoseconds that it waited, number of its slices. */
const SCHEDSTAT = "/proc/thread-self/schedstat";
const room = Buffer.alloc(64);

function open(): number | undefined {
  try {
    return openSync(SCHEDSTAT, "r");
  } catch {
    return undefined;
  }
}

const file = open();

/** Milliseconds that this thread has run, within a few; where the system does not tell, the wall clock. */
function threadTime(): number {
  if (file === undefined) return performance.now();
  const length = readSync(file, room, 0, room.length, 0);
  return Number(room.toString("latin1", 0, length).split(" ", 1)[0]) / 1e6;
}
