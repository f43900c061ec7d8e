import { ModelCache } from "../model/model-cache.ts";
import type { Attempt } from "../storage/attempt.ts";
import type { Repositories } from "../storage/repositories.ts";
import type { LastingWork, UnitOfWork } from "./unit-of-work.ts";

/**
 * A transaction is open that several use cases share. For use cases of objects and locks: nothing that changes the model or ends
 * the session may happen in it, which those who open it see to.
 */
export class JoinedUnit implements UnitOfWork {
  readonly joined = true;
  readonly models = new ModelCache();

  constructor(
    private readonly r: Repositories,
    readonly attempt: Attempt,
    /** Takes what is to be done when the transaction is over. */
    private readonly afterwards: (work: LastingWork) => void = () => {},
  ) {}

  transaction<T>(work: (r: Repositories) => Promise<T>): Promise<T> {
    return work(this.r);
  }

  async lastingly(work: LastingWork): Promise<void> {
    this.afterwards(work);
  }
}
