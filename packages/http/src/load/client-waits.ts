/** How many requests may wait for their clients. */
export interface WaitBounds {
  /** From one network: an IPv4 address, or a /64 of IPv6. */
  readonly perNetwork: number;
  readonly inAll: number;
}

/** Counts requests for which the server waits on the client, and tells when it waits on too many. */
export class ClientWaits {
  private waiting = 0;
  private readonly byNetwork = new Map<string, number>();

  constructor(private readonly bounds: WaitBounds) {}

  /** Requests waited for. */
  get current(): number {
    return this.waiting;
  }

  /** Whether no further request of the network may be waited for. */
  isFull(network: string): boolean {
    if (this.waiting === 0) return false;
    return this.waiting >= this.bounds.inAll || (this.byNetwork.get(network) ?? 0) >= this.bounds.perNetwork;
  }

  /** Each has to leave again. */
  enter(network: string): void {
    this.waiting += 1;
    this.byNetwork.set(network, (this.byNetwork.get(network) ?? 0) + 1);
  }

  leave(network: string): void {
    this.waiting -= 1;
    const left = (this.byNetwork.get(network) ?? 0) - 1;
    if (left > 0) this.byNetwork.set(network, left);
    else this.byNetwork.delete(network);
  }
}
