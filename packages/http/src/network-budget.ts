/** How much there may be at once: of one network (an IPv4 address, or a /64 of IPv6) and of all together. */
export interface BudgetBounds {
  readonly perNetwork: number;
  readonly inAll: number;
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
    return this.taken >= this.bounds.inAll || (this.byNetwork.get(network) ?? 0) >= this.bounds.perNetwork;
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
