import type { ModelCache } from "../model/index.ts";
import type { Repositories, Storage } from "../storage/index.ts";

/** How a use case writes several things as one: in a transaction of its own or, where one is open already, as a part of that. */
export interface UnitOfWork {
  /** Whether a transaction is open around it. What the process remembers learns nothing then: it may be undone. */
  readonly joined: boolean;
  /** What it has loaded of the model for itself; `null` where it shares that of the database. */
  readonly models: ModelCache | null;

  /** Does the work in one transaction. If it throws inside of an open one, what it wrote stays unless it was a part. */
  transaction<T>(work: (r: Repositories) => Promise<T>): Promise<T>;

  /** Does what may fail while the use case goes on: in an open transaction as a part of it, otherwise as it is. */
  attempt<T>(work: () => Promise<T>): Promise<T>;

  /** Does what has to stay whatever becomes of the unit, such as telling the audit: now, or once the transaction around it is over. */
  lastingly(work: LastingWork): Promise<void>;
}

/** Gets repositories outside of any transaction. */
export type LastingWork = (r: Repositories) => Promise<void>;

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
