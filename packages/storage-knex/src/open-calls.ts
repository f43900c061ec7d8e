import { ServiceError } from "@sallyport/storage";

/** Counts running calls. Closing waits for them and refuses new ones with 706. */
export class OpenCalls {
  private count = 0;
  private closing: Promise<void> | undefined;
  private finished: (() => void) | undefined;

  /** Runs one call, unless closed. */
  async during<T>(call: () => Promise<T>): Promise<T> {
    this.begin();
    try {
      return await call();
    } finally {
      this.end();
    }
  }

  /** Saves a promise per call; `end` must follow. */
  begin(): void {
    if (this.closing !== undefined) throw new ServiceError(706, { detail: "The storage is closed." });
    this.count += 1;
  }

  end(): void {
    this.count -= 1;
    if (this.count === 0) this.finished?.();
  }

  /** Refuses new calls. Resolves when the last running call has ended. */
  close(): Promise<void> {
    this.closing ??= new Promise((resolve) => {
      this.finished = resolve;
      if (this.count === 0) resolve();
    });
    return this.closing;
  }
}
