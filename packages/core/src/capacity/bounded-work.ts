import { ServiceError } from "@sallyport/storage";

export interface BoundedQueueOptions {
  /** Maximum number of concurrent tasks. */
  readonly concurrency: number;
  /** Maximum number of waiting tasks. Further tasks are refused with 706. */
  readonly queueLimit: number;
  /** Error detail for refused tasks. */
  readonly detail: string;
  /** Error detail for tasks aborted while waiting. */
  readonly abortedDetail?: string;
  /** `Retry-After` of refused tasks, in seconds. Default: 1. */
  readonly retryAfter?: number;
}

/** The used subset of `AbortSignal`. */
export interface QueueSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void, options: { readonly once: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** Runs tasks in order of arrival with limited concurrency. Refuses tasks when the queue is full. */
export class BoundedQueue {
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(private readonly options: BoundedQueueOptions) {}

  /** Throws 706 if the queue is full, or if the signal aborts before the work starts. */
  async run<T>(work: () => Promise<T>, signal?: QueueSignal): Promise<T> {
    if (this.running < this.options.concurrency) this.running += 1;
    else await this.waitForSlot(signal);
    try {
      return await work();
    } finally {
      // Passes the slot directly to the next task, so that a newly arriving task cannot take it.
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

/** Limits the expensive work in progress per network, so that no network starves the others. */
export class NetworkSemaphore {
  /** The number of running tasks, by network. */
  private readonly running = new Map<string, number>();

  /** @param limit maximum number of concurrent tasks of one network */
  constructor(
    private readonly limit: number,
    private readonly detail: string,
  ) {}

  /** Runs the work. Throws 706 if the network has reached its limit. */
  async run<T>(network: string, work: () => Promise<T>): Promise<T> {
    const running = this.running.get(network) ?? 0;
    if (running >= this.limit) throw new ServiceError(706, { retryAfter: 1, detail: this.detail });
    this.running.set(network, running + 1);
    try {
      return await work();
    } finally {
      const left = (this.running.get(network) ?? 1) - 1;
      if (left === 0) this.running.delete(network);
      else this.running.set(network, left);
    }
  }
}
