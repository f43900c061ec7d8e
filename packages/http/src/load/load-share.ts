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
