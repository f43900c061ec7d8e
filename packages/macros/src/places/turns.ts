import { ServiceError } from "@sallyport/core";

interface Waiting {
  readonly admit: () => void;
}

/** So many at a time; the others wait, so long and so many, in the order in which they came. */
export class Turns {
  private readonly places: number;
  private readonly queue: number;
  private readonly waiting = new Set<Waiting>();
  private taken = 0;

  constructor(places: number, queue: number) {
    this.places = places;
    this.queue = queue;
  }

  get load(): { readonly busy: number; readonly waiting: number } {
    return { busy: this.taken, waiting: this.waiting.size };
  }

  /** Comes back when it is this one's turn; 706 when that is not within `wait` milliseconds. */
  async take(wait: number): Promise<void> {
    if (this.taken < this.places) {
      this.taken += 1;
      return;
    }
    if (this.waiting.size >= this.queue) throw new ServiceError(706, { detail: "too many macros wait", retryAfter: 1 });
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.delete(entry);
        reject(new ServiceError(706, { detail: "no macro ended in time", retryAfter: 1 }));
      }, wait);
      const entry: Waiting = {
        admit: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      this.waiting.add(entry);
    });
  }

  /** Gives the turn to the next one. */
  give(): void {
    const [next] = this.waiting;
    if (next === undefined) this.taken -= 1;
    else {
      this.waiting.delete(next);
      next.admit();
    }
  }
}
