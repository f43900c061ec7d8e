import { openSync, readSync } from "node:fs";

/** So short a time is taken for time of running, for the system tells it no finer. */
const SHORT = 20;

/**
 * How long an entry has run. A thread of low priority can stand still for long on a busy machine, which is no fault of the
 * entry: the system is asked how much of the time it really ran, but only when the clock says that it could be too much.
 */
export class CpuClock {
  private readonly limit: number;
  private spent = 0;
  private since = 0;
  /** What the thread had run then. */
  private ranThen = 0;
  private nextLook = Infinity;

  constructor(limit: number) {
    this.limit = limit;
  }

  start(): void {
    this.since = performance.now();
    this.ranThen = threadTime();
    this.nextLook = this.since + Math.max(this.limit - this.spent, 1);
  }

  stop(): void {
    this.spent = this.total();
    this.nextLook = Infinity;
  }

  /** Counts what was run elsewhere on account of this entry. */
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

/** What Linux tells of a thread: nanoseconds that it ran, nanoseconds that it waited for its turn, turns. */
const TOLD = "/proc/thread-self/schedstat";
const room = Buffer.alloc(64);

function open(): number | undefined {
  try {
    return openSync(TOLD, "r");
  } catch {
    return undefined;
  }
}

const file = open();

/** Milliseconds that this thread has run, give or take the few that lie between two ticks of the system; where the system does not tell, milliseconds that have passed. */
function threadTime(): number {
  if (file === undefined) return performance.now();
  const length = readSync(file, room, 0, room.length, 0);
  return Number(room.toString("latin1", 0, length).split(" ", 1)[0]) / 1e6;
}
