/** Counts the requests in work and tells when to shed load. */
export class LoadGauge {
  private inWork = 0;
  private draining = false;
  private readonly count = (change: 1 | -1): void => {
    this.inWork += change;
  };

  constructor(private readonly maximum: number) {}

  /** Requests in work. */
  get current(): number {
    return this.inWork;
  }

  /** Whether a request that has just been counted is one too many. */
  get isOverloaded(): boolean {
    return this.inWork > this.maximum;
  }

  /** Whether the server is about to stop: what runs is finished, connections are not kept. */
  get isDraining(): boolean {
    return this.draining;
  }

  /** Counts a request from now on. */
  enter(): LoadShare {
    return new LoadShare(this.count);
  }

  drain(): void {
    this.draining = true;
  }
}

/** The place of one request among those in work. It has none while it waits for its client. */
export class LoadShare {
  private counted = true;
  private over = false;

  constructor(private readonly count: (change: 1 | -1) => void) {
    count(1);
  }

  /** The server can do nothing for the request at the moment. */
  pause(): void {
    if (this.counted) this.count(-1);
    this.counted = false;
  }

  /** The request goes on, unless it has ended. */
  resume(): void {
    if (this.counted || this.over) return;
    this.counted = true;
    this.count(1);
  }

  /** The request is done with, for good. */
  end(): void {
    this.over = true;
    this.pause();
  }
}

/** How much there may be at once: of one network (an IPv4 address, or a /64 of IPv6) and of all together. */
export interface BudgetBounds {
  readonly perIp: number;
  readonly total: number;
}

/** Counts what networks take of something that is limited, such as connections or bytes of memory. */
export class NetworkBudget {
  private taken = 0;
  private readonly byNetwork = new Map<string, number>();

  constructor(private readonly bounds: BudgetBounds) {}

  /** What all networks have taken. */
  get current(): number {
    return this.taken;
  }

  /** Whether nothing is left for the network. */
  isFull(network: string): boolean {
    if (this.taken === 0) return false;
    return this.taken >= this.bounds.total || (this.byNetwork.get(network) ?? 0) >= this.bounds.perIp;
  }

  /** Takes an amount, even where it exceeds the bounds; the same amount has to be given back. */
  take(network: string, amount = 1): void {
    this.taken += amount;
    this.byNetwork.set(network, (this.byNetwork.get(network) ?? 0) + amount);
  }

  giveBack(network: string, amount = 1): void {
    this.taken -= amount;
    const left = (this.byNetwork.get(network) ?? 0) - amount;
    if (left > 0) this.byNetwork.set(network, left);
    else this.byNetwork.delete(network);
  }
}
