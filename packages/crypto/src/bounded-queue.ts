import { ServiceError } from "@sallyport/core";

export interface BoundedQueueOptions {
  /** How much work may run at once. */
  readonly concurrency: number;
  /** How much work may wait behind it; further work is refused with 706. */
  readonly queueLimit: number;
  /** What the log says of work that is refused. */
  readonly detail: string;
}

/** Runs work in the order in which it came, a limited amount at once, and refuses what would wait too long. */
export class BoundedQueue {
  private readonly concurrency: number;
  private readonly queueLimit: number;
  private readonly detail: string;
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor({ concurrency, queueLimit, detail }: BoundedQueueOptions) {
    this.concurrency = concurrency;
    this.queueLimit = queueLimit;
    this.detail = detail;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running < this.concurrency) {
      this.running += 1;
    } else {
      if (this.waiting.length >= this.queueLimit) {
        throw new ServiceError(706, { detail: this.detail, retryAfter: 1 });
      }
      await new Promise<void>((resolve) => {
        this.waiting.push(resolve);
      });
    }
    try {
      return await work();
    } finally {
      // The place goes to the next in line directly, so that nobody who comes in between can take it.
      const next = this.waiting.shift();
      if (next === undefined) this.running -= 1;
      else next();
    }
  }
}
