import { unanswered } from "./provider-failure.ts";

export interface PlacesOptions {
  /** How many requests may be under way at once. */
  readonly concurrency: number;
  /** How many may wait behind them; further ones are refused with 706. */
  readonly waiting: number;
}

/** Bounds what a provider that hangs can hold of the server: requests get a place in their order, as long as their time lasts. */
export class Places {
  private readonly options: PlacesOptions;
  private readonly queue: (() => void)[] = [];
  private taken = 0;

  constructor(options: PlacesOptions) {
    this.options = options;
  }

  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.taken < this.options.concurrency) this.taken += 1;
    else await this.turn(signal);
    try {
      return await work();
    } finally {
      // The place goes to the next in line directly, so that nobody who comes in between can take it.
      const next = this.queue.shift();
      if (next === undefined) this.taken -= 1;
      else next();
    }
  }

  private turn(signal: AbortSignal): Promise<void> {
    if (this.queue.length >= this.options.waiting) throw unanswered("too many requests wait for the provider");
    return new Promise((resolve, reject) => {
      const go = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        this.queue.splice(this.queue.indexOf(go), 1);
        reject(unanswered("the provider kept others waiting for too long"));
      };
      this.queue.push(go);
      if (signal.aborted) leave();
      else signal.addEventListener("abort", leave, { once: true });
    });
  }
}
