import { ServiceError } from "@sallyport/core";
import { EXECUTIONS_OF_THREAD, READY_OF_THREAD } from "../threads/messages.ts";
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

  /** Executions that have a place. */
  get busy(): number {
    return this.seats.reduce((sum, { inside }) => sum + inside, 0);
  }

  /** One for an execution that runs at once, or nearly so; nothing if there is no room for it anywhere. Who keeps others from something is not to wait in it. */
  take(isHolding: boolean): Seat | undefined {
    this.seats = this.seats.filter((seat) => !seat.isOver);
    const seat = this.choose(isHolding);
    if (seat === undefined) return undefined;
    clearTimeout(this.timers.get(seat));
    this.timers.delete(seat);
    seat.inside += 1;
    seat.running += 1;
    if (isHolding) seat.holding += 1;
    return seat;
  }

  /** Takes back what was taken. */
  give(seat: Seat, isHolding: boolean): void {
    if (isHolding) seat.holding -= 1;
    seat.inside -= 1;
    seat.running -= 1;
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

  /** The first one in which nothing runs, so that the others may be let go; a new one while there may be more; else one in which little runs. */
  private choose(isHolding: boolean): Seat | undefined {
    const roomy = this.seats.filter(({ inside }) => inside < EXECUTIONS_OF_THREAD);
    const idle = roomy.find(({ running }) => running === 0);
    if (idle !== undefined) return idle;
    if (this.seats.length < this.most) return this.open();
    if (isHolding) return undefined;
    return roomy
      .filter(({ running, holding }) => running < READY_OF_THREAD && holding === 0)
      .reduce<Seat | undefined>(better, undefined);
  }

  private open(): Seat {
    const seat = new Seat(this.start);
    this.seats.push(seat);
    return seat;
  }
}

/** In which less runs; of two alike that which was heard last, for in the other something may take long. */
function better(one: Seat | undefined, other: Seat): Seat {
  if (one === undefined || other.running < one.running) return other;
  return other.running === one.running && other.heard > one.heard ? other : one;
}

interface Waiting {
  readonly isHolding: boolean;
  readonly admit: (seat: Seat) => void;
}

/** Who waits for a seat: so many, for so long, in the order in which they came. */
export class Turns {
  private readonly take: (isHolding: boolean) => Seat | undefined;
  private readonly most: number;
  private readonly queue = new Set<Waiting>();

  /** `take`: a seat, if there is room; `most`: how many may wait. */
  constructor(take: (isHolding: boolean) => Seat | undefined, most: number) {
    this.take = take;
    this.most = most;
  }

  get waiting(): number {
    return this.queue.size;
  }

  /** A seat, as soon as there is one for this one; 706 when that is not within `wait` milliseconds. */
  async enter(wait: number, isHolding: boolean): Promise<Seat> {
    const seat = this.queue.size === 0 ? this.take(isHolding) : undefined;
    if (seat !== undefined) return seat;
    if (this.queue.size >= this.most) throw new ServiceError(706, { detail: "too many macros wait", retryAfter: 1 });
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.queue.delete(entry);
        reject(new ServiceError(706, { detail: "no macro ended in time", retryAfter: 1 }));
        // There may be room for those behind it that there was not for this one.
        this.admit();
      }, wait);
      const entry: Waiting = {
        isHolding,
        admit: (given) => {
          clearTimeout(timer);
          resolve(given);
        },
      };
      this.queue.add(entry);
    });
  }

  /** To be called when there may be room. */
  admit(): void {
    for (const next of this.queue) {
      const seat = this.take(next.isHolding);
      if (seat === undefined) return;
      this.queue.delete(next);
      next.admit(seat);
    }
  }
}
