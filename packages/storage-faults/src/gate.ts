/** Where a slow call waits until it is let through; no clock is involved. */
export class Gate {
  /** Resolves when a call waits here. */
  readonly reached: Promise<void>;
  private readonly opened: Promise<void>;
  private arrive = () => {};
  private letThrough = () => {};

  constructor() {
    this.reached = new Promise((resolve) => {
      this.arrive = resolve;
    });
    this.opened = new Promise((resolve) => {
      this.letThrough = resolve;
    });
  }

  /** Lets those through who wait, and all who come later. */
  open(): void {
    this.letThrough();
  }

  pass(): Promise<void> {
    this.arrive();
    return this.opened;
  }
}
