import { ServiceError } from "@sallyport/core";
import type { Seat } from "./seat.ts";

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
