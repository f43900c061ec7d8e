/** Counts the requests in work and tells when to shed load. */
export class LoadGauge {
  private inWork = 0;
  private draining = false;

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

  enter(): void {
    this.inWork += 1;
  }

  leave(): void {
    this.inWork -= 1;
  }

  drain(): void {
    this.draining = true;
  }
}
