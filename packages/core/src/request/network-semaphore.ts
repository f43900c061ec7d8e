import { ServiceError } from "@sallyport/storage";

/** Limits the expensive work in progress per network, so that no network starves the others. */
export class NetworkSemaphore {
  private readonly taken = new Map<string, number>();

  /** @param each maximum concurrent tasks of one network */
  constructor(
    private readonly each: number,
    private readonly detail: string,
  ) {}

  /** Runs the work. Throws 706 if the network has reached its limit. */
  async run<T>(network: string, work: () => Promise<T>): Promise<T> {
    const taken = this.taken.get(network) ?? 0;
    if (taken >= this.each) throw new ServiceError(706, { retryAfter: 1, detail: this.detail });
    this.taken.set(network, taken + 1);
    try {
      return await work();
    } finally {
      const left = (this.taken.get(network) ?? 1) - 1;
      if (left === 0) this.taken.delete(network);
      else this.taken.set(network, left);
    }
  }
}
