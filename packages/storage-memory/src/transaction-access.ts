import { ServiceError } from "@sallyport/core";
import type { Access, Work } from "./access.ts";
import { commitState, forkState, type State } from "./state.ts";

/** The state as one transaction sees it, for as long as the transaction runs. */
export class TransactionAccess implements Access {
  private ended = false;

  constructor(
    private readonly state: State,
    private readonly time: () => number,
  ) {}

  get running(): boolean {
    return !this.ended;
  }

  end(): void {
    this.ended = true;
  }

  async read<T>(work: Work<T>): Promise<T> {
    if (this.ended) throw new ServiceError(799, { detail: "The transaction is over." });
    return work(this.state, this.time());
  }

  async write<T>(work: Work<T>): Promise<T> {
    if (this.ended) throw new ServiceError(799, { detail: "The transaction is over." });
    const fork = forkState(this.state);
    const result = work(fork, this.time());
    commitState(fork);
    return result;
  }
}
