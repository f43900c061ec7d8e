import type { Storage } from "@sallyport/core";

/** A storage made for one check. */
export interface StorageUnderTest {
  /** A database that nobody else uses: empty and not migrated, or as the migrations left it. */
  readonly storage: Storage;

  /**
   * A second, independent connection to the same database, with the same offset of the clock, as another process
   * would have it. Has to be there if the storage declares `severalProcesses`.
   */
  readonly another?: () => Promise<Storage>;

  /**
   * Opens the database once more after the storage was closed, with the same offset of the clock, as the next process
   * would. Has to be there if the storage declares `durable`, unless `another` is.
   */
  readonly reopen?: () => Promise<Storage>;

  /**
   * Lets the next creations of app names, so many, fail as those that lost against another writer (a deadlock, a
   * serialization failure). Has to be there if the storage declares `severalProcesses`.
   */
  readonly loseNext?: (times: number) => Promise<void>;

  /** Closes what is open and removes the database. */
  readonly destroy: () => Promise<void>;
}

/** What the kit needs to know of an adapter. */
export interface AdapterUnderTest {
  readonly name: string;

  /** How many checks may run at once, each on a storage of its own; 1 unless given. */
  readonly concurrency?: number;

  /** Milliseconds that a check may take with the making and removing of its database; 30,000 unless given. */
  readonly timeLimit?: number;

  /**
   * Called once for every check. The storage's clock must be ahead of its natural time by the offset, in
   * milliseconds, asked for at every call: this is how checks let time pass. `migrated` says that the check begins with a
   * migrated database: one that is not will be migrated.
   */
  create(options: { readonly clockOffset: () => number; readonly migrated: boolean }): Promise<StorageUnderTest>;
}
