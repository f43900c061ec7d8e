import { LruCache, ServiceError } from "@sallyport/storage";

export interface ProcessorBudgetOptions {
  /** Share of a processor that a place may take in the long run; 0: unlimited. */
  readonly share: number;
  /** The clock of this process, in milliseconds. */
  readonly now: () => number;
}

/** Milliseconds in which an empty budget fills. */
const period = 60_000;
/** Maximum number of budgets. Clients choose networks, so the number is limited. */
const maxPlaces = 10_000;

/**
 * Bounds the processor time of work for clients that have proven nothing yet. A place, such as a network, has a budget for
 * a minute. Each process has its own budgets, because they protect its own processor time.
 */
export class ProcessorBudget {
  /** The time at which each budget is full again. Work delays it. A budget is empty if it is a period ahead. */
  private readonly fullAt = new LruCache<string, number>(maxPlaces);

  constructor(private readonly options: ProcessorBudgetOptions) {}

  get now(): number {
    return this.options.now();
  }

  /** Milliseconds until the place can take work of this cost, in milliseconds; 0 if it can. */
  waitFor(place: string, cost: number): number {
    const { share } = this.options;
    if (share === 0) return 0;
    return Math.max(0, (this.fullAt.get(place) ?? 0) + cost / share - this.now - period);
  }

  /** Takes processor time from the place, in milliseconds. A negative number returns time. */
  charge(place: string, milliseconds: number): void {
    const { share } = this.options;
    if (share > 0) this.fullAt.set(place, Math.max(this.fullAt.get(place) ?? 0, this.now) + milliseconds / share);
  }

  /**
   * Runs work for a client of this network. Its time is taken from the network, unless the outcome proves the client. Throws
   * 706 if nothing is left.
   */
  spend<Outcome>(network: string, work: () => Outcome, proves: (outcome: Outcome) => boolean = () => false): Outcome {
    const place = `network ${network}`;
    const wait = this.waitFor(place, 0);
    if (wait > 0) throw usedUp(wait);
    const startedAt = this.now;
    let isProven = false;
    try {
      const outcome = work();
      isProven = proves(outcome);
      return outcome;
    } finally {
      if (!isProven) this.charge(place, this.now - startedAt);
    }
  }
}

/** 706 for a place that is used up for `wait` milliseconds. */
export function usedUp(wait: number, detail = "This network has used up its processor time."): ServiceError {
  return new ServiceError(706, { retryAfter: Math.ceil(wait / 1_000), detail });
}
