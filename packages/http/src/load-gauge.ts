/** Requests that are served at one time in spite of an overload. */
const maxSpared = 32;

/** Counts the active requests and tells when to shed load. */
export class LoadGauge {
  private readonly active: ActiveRequests = { count: 0 };
  private spared = 0;
  private draining = false;
  private ready = true;
  private readonly whenDraining = new Set<() => void>();

  /** @param eventLoop `null`: its delay sheds no load */
  constructor(
    private readonly maximum: number,
    private readonly eventLoop: EventLoopDelay | null = null,
  ) {}

  /** Number of active requests. */
  get current(): number {
    return this.active.count;
  }

  /** Why the most recently counted request is refused; `null` if it is not. */
  get overload(): string | null {
    if (this.active.count > this.maximum) return "Too many requests are in progress.";
    return this.eventLoop?.isExcessive === true ? "The server is overloaded: its event loop is delayed." : null;
  }

  /** Takes a place of the requests that are served in spite of an overload, until the request ends. `false`: none is free. */
  spare(share: LoadShare): boolean {
    if (this.spared >= maxSpared) return false;
    this.spared += 1;
    share.whenOver(() => {
      this.spared -= 1;
    });
    return true;
  }

  /** Whether load balancers can send requests. */
  get isReady(): boolean {
    return this.ready;
  }

  /** Starts counting a request. */
  enter(): LoadShare {
    return new LoadShare(this.active);
  }

  /** Calls `call` when the server begins to shut down, at once if it already has. Returns a function to unsubscribe. */
  onDrain(call: () => void): () => void {
    this.whenDraining.add(call);
    if (this.draining) call();
    return () => void this.whenDraining.delete(call);
  }

  /** Begins the shutdown. `staysReady`: another process serves the same port. */
  drain({ staysReady = false }: { readonly staysReady?: boolean } = {}): void {
    this.draining = true;
    this.ready = staysReady;
    this.eventLoop?.stop();
    for (const call of this.whenDraining) call();
  }
}

/** When the delay of the event loop sheds load. Milliseconds. */
export interface SheddingPolicy {
  /** Delay above which requests are refused. */
  readonly delay: number;
  /** Delay below which requests are served again. Less than `delay`. */
  readonly resume: number;
}

/** Milliseconds between two measurements. */
const sampleInterval = 100;
/** Weight of a new measurement in the average. */
const sampleWeight = 0.3;

/**
 * Watches how late the timers of the process are, on average over about a third of a second. One long pause, such as a
 * garbage collection, is not excessive: a measurement counts at most twice the allowed delay.
 */
export class EventLoopDelay {
  private average = 0;
  private excessive = false;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly policy: SheddingPolicy) {
    let expected = performance.now() + sampleInterval;
    this.timer = setInterval(() => {
      const now = performance.now();
      this.measured(now - expected);
      expected = now + sampleInterval;
    }, sampleInterval).unref();
  }

  /** Whether the delay exceeded `delay` and has not fallen below `resume` since. */
  get isExcessive(): boolean {
    return this.excessive;
  }

  /** Adds a measurement. */
  measured(late: number): void {
    const { delay, resume } = this.policy;
    const counted = Math.min(Math.max(late, 0), 2 * delay);
    this.average += sampleWeight * (counted - this.average);
    this.excessive = this.average > (this.excessive ? resume : delay);
  }

  /** Ends the measurements. Nothing is excessive after them. */
  stop(): void {
    clearInterval(this.timer);
    this.excessive = false;
  }
}

/** The requests in progress that do not wait for their clients. */
interface ActiveRequests {
  count: number;
}

/** The load of one request. A request that waits for its client does not count. */
export class LoadShare {
  private counted = true;
  private over = false;
  private afterwards: (() => void) | null = null;

  constructor(private readonly active: ActiveRequests) {
    active.count += 1;
  }

  /** Stops counting while the request waits for its client. */
  pause(): void {
    if (this.counted) this.active.count -= 1;
    this.counted = false;
  }

  /** Counts the request again, unless it has ended. */
  resume(): void {
    if (this.counted || this.over) return;
    this.counted = true;
    this.active.count += 1;
  }

  /** Ends the count permanently. */
  end(): void {
    this.over = true;
    this.pause();
    this.afterwards?.();
    this.afterwards = null;
  }

  /** Calls `call` when the count ends. */
  whenOver(call: () => void): void {
    this.afterwards = call;
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
