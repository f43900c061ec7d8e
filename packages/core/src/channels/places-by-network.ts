import { ServiceError } from "../errors/service-error.ts";

/** Gives every network the same number of places for work that costs much, so that none takes those of the others. */
export class PlacesByNetwork {
  private readonly taken = new Map<string, number>();

  /** @param each how much work of one network may be in hand at once */
  constructor(private readonly each: number) {}

  /** Does the work; 706 if the network has no place left. */
  async run<T>(network: string, work: () => Promise<T>): Promise<T> {
    const taken = this.taken.get(network) ?? 0;
    if (taken >= this.each)
      throw new ServiceError(706, { retryAfter: 1, detail: "Too many encrypted log-ins of one network are in hand." });
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
