import { ServiceError } from "@sallyport/core";

interface Waiting {
  readonly admit: () => void;
}

/** How many there may be. */
export interface TurnsOptions {
  /** Who run. */
  readonly running: number;
  /** Who are inside, with those that wait for something there. */
  readonly inside: number;
  /** Who wait to get in. */
  readonly queue: number;
}

/**
 * So many run at a time, and some more have begun and wait for something; the others wait until they may begin, so long and so many, in
 * the order in which they came. Who has begun is never kept from going on, also if more run then than should: nobody new begins meanwhile.
 */
export class Turns {
  private readonly most: TurnsOptions;
  private readonly waiting = new Set<Waiting>();
  private running = 0;
  private inside = 0;

  constructor(most: TurnsOptions) {
    this.most = most;
  }

  get load(): { readonly busy: number; readonly waiting: number } {
    return { busy: this.inside, waiting: this.waiting.size };
  }

  /** Comes back when it is this one's turn; 706 when that is not within `wait` milliseconds. */
  async enter(wait: number): Promise<void> {
    if (this.hasRoom) {
      this.admit();
      return;
    }
    if (this.waiting.size >= this.most.queue) throw new ServiceError(706, { detail: "too many macros wait", retryAfter: 1 });
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

  /** One that runs waits for something. */
  pause(): void {
    this.running -= 1;
    this.admitNext();
  }

  /** One that waited goes on. */
  resume(): void {
    this.running += 1;
  }

  /** One that runs is done. */
  leave(): void {
    this.inside -= 1;
    this.pause();
  }

  private get hasRoom(): boolean {
    return this.running < this.most.running && this.inside < this.most.inside;
  }

  private admit(): void {
    this.running += 1;
    this.inside += 1;
  }

  private admitNext(): void {
    const [next] = this.waiting;
    if (next === undefined || !this.hasRoom) return;
    this.waiting.delete(next);
    this.admit();
    next.admit();
  }
}
