import type { Kernel, Storage } from "@sallyport/storage";

/** A storage created for one check. */
export interface StorageUnderTest {
  /** An exclusive database: empty and not migrated, or freshly migrated. */
  readonly storage: Storage;

  /**
   * Opens an independent connection to the same database, with the same clock offset, as another process would.
   * Required if the storage declares `severalProcesses`.
   */
  readonly another?: () => Promise<Storage>;

  /**
   * Opens the database again after the storage was closed, with the same clock offset, as the next process would.
   * Required if the storage declares `durable`; `another` serves as a fallback.
   */
  readonly reopen?: () => Promise<Storage>;

  /**
   * Makes the next `times` creations of app names fail with a conflict (a deadlock, a serialization failure). Required
   * if the storage declares `severalProcesses`, also with serial transactions: calls outside of transactions can conflict, too.
   */
  readonly loseNext?: (times: number) => Promise<void>;

  /**
   * Makes the database refuse the next `times` creations of app names, as a full disk or a trigger does. Required if the
   * storage declares `severalProcesses`.
   */
  readonly refuseNext?: (times: number) => Promise<void>;

  /** Closes all connections and drops the database. */
  readonly destroy: () => Promise<void>;
}

/**
 * A kernel created for one check. The kit makes the storage of it, and also runs the checks of kernels. Its members are those
 * of `StorageUnderTest`, with kernels instead of storages.
 */
export interface KernelUnderTest {
  readonly kernel: Kernel;
  readonly another?: () => Promise<Kernel>;
  readonly reopen?: () => Promise<Kernel>;

  /**
   * Makes the next `times` puts into the table `records` fail with a conflict. Required if the kernel declares
   * `severalProcesses` and `parallelTransactions`: otherwise no transaction loses a race.
   */
  readonly loseNext?: (times: number) => Promise<void>;

  /** Makes the database refuse the next `times` puts into the table `records`. Required with `severalProcesses`. */
  readonly refuseNext?: (times: number) => Promise<void>;

  readonly destroy: () => Promise<void>;
}

export interface CreateOptions {
  /** Milliseconds that the clock of the storage or kernel must add. It reads them on every use: checks advance time this way. */
  readonly clockOffset: () => number;
  /** Whether the check starts on a migrated database. The kit migrates it if the adapter does not. */
  readonly migrated: boolean;
}

/** The adapter as the kit uses it. */
export interface AdapterUnderTest {
  readonly name: string;

  /** Number of checks that may run concurrently, each on its own storage; default 1. */
  readonly concurrency?: number;

  /** Time limit of a check in milliseconds, including creating and dropping its database; default 30,000. */
  readonly timeLimit?: number;

  /** Number of reads of a check that reads beside a writer; default 20. Raise the time limit with it. */
  readonly reads?: number;

  /** Called once for every check. */
  create(options: CreateOptions): Promise<StorageUnderTest | KernelUnderTest>;

  /** Called by `sallyport-conformance` after the last check: stops what the adapter's module started. */
  readonly close?: () => Promise<void>;
}
