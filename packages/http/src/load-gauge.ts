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
