import { Seat, type StartThread } from "./seat.ts";

/** The threads. One that has had nothing to do for long is let go, and gives its memory back. */
export class Seats {
  private readonly start: StartThread;
  private readonly most: number;
  private readonly idle: number;
  private seats: Seat[] = [];
  private readonly timers = new Map<Seat, NodeJS.Timeout>();

  /** `most`: threads at once; `idle`: milliseconds for which one may have nothing to do. */
  constructor(start: StartThread, { most, idle }: { readonly most: number; readonly idle: number }) {
    this.start = start;
    this.most = most;
    this.idle = idle;
  }

  /** The first one in which nothing runs, so that the others may be let go; a new one while there may be more; else one in which little runs. */
  take(): Seat {
    this.seats = this.seats.filter((seat) => !seat.isOver);
    const seat = this.seats.find(({ running }) => running === 0) ?? (this.seats.length < this.most ? this.open() : this.leastBusy());
    clearTimeout(this.timers.get(seat));
    this.timers.delete(seat);
    return seat;
  }

  /** Takes back what was taken. */
  give(seat: Seat): void {
    if (seat.isOver || !seat.isEmpty) return;
    const timer = setTimeout(() => {
      this.timers.delete(seat);
      seat.end();
    }, this.idle);
    timer.unref();
    this.timers.set(seat, timer);
  }

  close(): void {
    for (const timer of this.timers.values()) clearTimeout(timer);
    for (const seat of this.seats) if (seat.isEmpty) seat.end();
  }

  private open(): Seat {
    const seat = new Seat(this.start);
    this.seats.push(seat);
    return seat;
  }

  private leastBusy(): Seat {
    return this.seats.reduce((one, other) => (other.running < one.running ? other : one));
  }
}
