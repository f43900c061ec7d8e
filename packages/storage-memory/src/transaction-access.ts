import { ServiceError } from "@sallyport/core";
import type { Access, Work } from "./access.ts";
import { commitState, forkState, type State } from "./state.ts";

/** The state as one transaction sees it, for as long as the transaction runs. */
export class TransactionAccess implements Access {
  private ended = false;

  constructor(
    private state: State,
    private readonly time: () => number,
  ) {}

  get running(): boolean {
    return !this.ended;
  }

  end(): void {
    this.ended = true;
  }

  /** Does a part on a fork of its own, which is kept if it does not throw. */
  async attempt<T>(part: () => Promise<T>): Promise<T> {
    this.checkRunning();
    const whole = this.state;
    const fork = forkState(whole);
    this.state = fork;
    try {
      const result = await part();
      commitState(fork);
      return result;
    } finally {
      this.state = whole;
    }
  }

  async read<T>(work: Work<T>): Promise<T> {
    this.checkRunning();
    return work(this.state, this.time());
  }

  async write<T>(work: Work<T>): Promise<T> {
    this.checkRunning();
    const fork = forkState(this.state);
    const result = work(fork, this.time());
    commitState(fork);
    return result;
  }

  private checkRunning(): void {
    if (this.ended) throw new ServiceError(799, { detail: "The transaction is over." });
  }
}
