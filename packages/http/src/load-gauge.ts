/** Counts the active requests and tells when to shed load. */
export class LoadGauge {
  private inWork = 0;
  private draining = false;
  private readonly count = (change: 1 | -1): void => {
    this.inWork += change;
  };

  constructor(private readonly maximum: number) {}

  /** Number of active requests. */
  get current(): number {
    return this.inWork;
  }

  /** Whether the most recently counted request exceeds the maximum. */
  get isOverloaded(): boolean {
    return this.inWork > this.maximum;
  }

  /** Whether the server is shutting down. Active requests finish; connections are not kept alive. */
  get isDraining(): boolean {
    return this.draining;
  }

  /** Starts counting a request. */
  enter(): LoadShare {
    return new LoadShare(this.count);
  }

  drain(): void {
    this.draining = true;
  }
}

/** The load of one request. A request that waits for its client does not count. */
export class LoadShare {
  private counted = true;
  private over = false;

  constructor(private readonly count: (change: 1 | -1) => void) {
    count(1);
  }

  /** Stops counting while the request waits for its client. */
  pause(): void {
    if (this.counted) this.count(-1);
    this.counted = false;
  }

  /** Counts the request again, unless it has ended. */
  resume(): void {
    if (this.counted || this.over) return;
    this.counted = true;
    this.count(1);
  }

  /** Ends the count permanently. */
  end(): void {
    this.over = true;
    this.pause();
  }
}

/** Maximum amount per network (an IPv4 address or an IPv6 /64) and in total. */
export interface BudgetBounds {
  readonly perIp: number;
  readonly total: number;
}

/** Counts a limited resource per network, such as connections or bytes of memory. */
export class NetworkBudget {
  private taken = 0;
  private readonly byNetwork = new Map<string, number>();

  constructor(private readonly bounds: BudgetBounds) {}

  /** Amount taken by all networks. */
  get current(): number {
    return this.taken;
  }

  /** Whether the budget of the network is used up. */
  isFull(network: string): boolean {
    if (this.taken === 0) return false;
    return this.taken >= this.bounds.total || (this.byNetwork.get(network) ?? 0) >= this.bounds.perIp;
  }

  /** Takes an amount, even beyond the bounds. The caller must give back the same amount. */
  take(network: string, amount = 1): void {
    this.taken += amount;
    this.byNetwork.set(network, (this.byNetwork.get(network) ?? 0) + amount);
  }

  release(network: string, amount = 1): void {
    this.taken -= amount;
    const left = (this.byNetwork.get(network) ?? 0) - amount;
    if (left > 0) this.byNetwork.set(network, left);
    else this.byNetwork.delete(network);
  }
}
