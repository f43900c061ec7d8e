import { LoadShare } from "./load-share.ts";

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
