import type { Repositories, Storage } from "../storage/index.ts";
import type { LastingWork, UnitOfWork } from "./unit-of-work.ts";

/** No transaction is open: each one is the use case's own. */
export class OwnUnit implements UnitOfWork {
  readonly joined = false;
  readonly models = null;

  constructor(private readonly storage: Storage) {}

  transaction<T>(work: (r: Repositories) => Promise<T>): Promise<T> {
    return this.storage.transaction(work);
  }

  attempt<T>(work: () => Promise<T>): Promise<T> {
    return work();
  }

  lastingly(work: LastingWork): Promise<void> {
    return work(this.storage.repositories);
  }
}
