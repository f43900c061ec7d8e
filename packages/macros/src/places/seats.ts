import { Seat, type StartThread } from "./seat.ts";

/** The threads that wait for work. One that has waited for long is let go, and gives its memory back. */
export class Seats {
  private readonly start: StartThread;
  private readonly idle: number;
  private readonly waiting: { readonly seat: Seat; readonly timer: NodeJS.Timeout }[] = [];

  /** `idle`: milliseconds for which a thread may wait. */
  constructor(start: StartThread, idle: number) {
    this.start = start;
    this.idle = idle;
  }

  /** The one that came last, so that the others may be let go. */
  take(): Seat {
    for (let last = this.waiting.pop(); last !== undefined; last = this.waiting.pop()) {
      clearTimeout(last.timer);
      if (!last.seat.isOver) return last.seat;
    }
    return new Seat(this.start);
  }

  give(seat: Seat): void {
    if (seat.isOver) return;
    const timer = setTimeout(() => {
      this.waiting.splice(
        this.waiting.findIndex((entry) => entry.seat === seat),
        1,
      );
      seat.end();
    }, this.idle);
    timer.unref();
    this.waiting.push({ seat, timer });
  }

  close(): void {
    for (const { seat, timer } of this.waiting.splice(0)) {
      clearTimeout(timer);
      seat.end();
    }
  }
}
