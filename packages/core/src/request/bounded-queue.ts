import { ServiceError } from "../errors/index.ts";

export interface BoundedQueueOptions {
  /** How much work may run at once. */
  readonly concurrency: number;
  /** How much work may wait behind it; further work is refused with 706. */
  readonly queueLimit: number;
  /** What the log says of work that is refused. */
  readonly detail: string;
  /** What the log says of work that was aborted while it waited. */
  readonly abortedDetail?: string;
  /** Seconds after which refused work can come again; 1 unless given. */
  readonly retryAfter?: number;
}

/** What is used of an `AbortSignal`. */
export interface QueueSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void, options: { readonly once: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** Runs work in the order of arrival, a limited amount at once, and refuses work that finds the queue full. */
export class BoundedQueue {
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(private readonly options: BoundedQueueOptions) {}

  /** 706 if the queue is full, or if the signal aborts the work before it begins. */
  async run<T>(work: () => Promise<T>, signal?: QueueSignal): Promise<T> {
    if (this.running < this.options.concurrency) this.running += 1;
    else await this.waitForSlot(signal);
    try {
      return await work();
    } finally {
      // The next in line takes the slot directly, so that work which arrives in between cannot.
      const next = this.waiting.shift();
      if (next === undefined) this.running -= 1;
      else next();
    }
  }

  private waitForSlot(signal: QueueSignal | undefined): Promise<void> {
    const { queueLimit, detail, abortedDetail = detail } = this.options;
    if (this.waiting.length >= queueLimit) throw this.refusal(detail);
    return new Promise((resolve, reject) => {
      const begin = () => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        this.waiting.splice(this.waiting.indexOf(begin), 1);
        reject(this.refusal(abortedDetail));
      };
      this.waiting.push(begin);
      if (signal?.aborted === true) leave();
      else signal?.addEventListener("abort", leave, { once: true });
    });
  }

  private refusal(detail: string): ServiceError {
    return new ServiceError(706, { detail, retryAfter: this.options.retryAfter ?? 1 });
  }
}
