import type { ModelCache } from "../model/index.ts";
import type { Repositories, Storage } from "@sallyport/storage";

/** Groups the writes of a use case into a transaction of its own, or joins an open one. */
export interface UnitOfWork {
  /** Whether it joins an open transaction. Process-wide caches then store nothing, as it may be rolled back. */
  readonly joined: boolean;
  /** Models loaded inside the transaction. `null`: use the cache of the database. */
  readonly models: ModelCache | null;

  /** Runs the work in one transaction. In a joined transaction, an error does not undo its writes unless it runs in `attempt`. */
  transaction<T>(work: (r: Repositories) => Promise<T>): Promise<T>;

  /** Runs work whose failure the use case survives: in a savepoint of a joined transaction, otherwise directly. */
  attempt<T>(work: () => Promise<T>): Promise<T>;

  /** Runs work that must survive a rollback, such as audit events: now, or after the surrounding transaction. */
  autonomously(work: AutonomousWork): Promise<void>;
}

/** Gets repositories outside any transaction. */
export type AutonomousWork = (r: Repositories) => Promise<void>;

/** No transaction is open. Each use case starts its own. */
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

  autonomously(work: AutonomousWork): Promise<void> {
    return work(this.storage.repositories);
  }
}
