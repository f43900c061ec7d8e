import type { Kernel, Repositories, Storage } from "@sallyport/storage";

/** A kernel under test, not migrated. */
export interface KernelOfSubject {
  readonly kernel: Kernel;
  readonly another: () => Promise<Kernel>;
  readonly reopen: () => Promise<Kernel>;
}

/** The storage under test, with control over its environment. */
export interface Subject {
  readonly storage: Storage;
  readonly r: Repositories;
  /** Opens a second connection to the same database, as another process would. */
  readonly another: () => Promise<Storage>;
  /** Opens the database again after the storage was closed, as the next process would. */
  readonly reopen: () => Promise<Storage>;
  /** The kernel below the storage; `null` if the adapter implements a storage. */
  readonly ofKernel: KernelOfSubject | null;
  /**
   * Whether a call can come before a transaction that has begun earlier, which then runs again: with a kernel whose transactions run in
   * parallel. Others let the call wait.
   */
  readonly canOvertake: boolean;
  /** Makes the next `times` creations of app names fail with a conflict. */
  readonly loseNext: (times: number) => Promise<void>;
  /** Makes the database refuse the next `times` creations of app names. */
  readonly refuseNext: (times: number) => Promise<void>;
  /** Advances the storage's clock by milliseconds. */
  readonly advance: (milliseconds: number) => void;
  /** The number of reads of a check that reads beside a writer. */
  readonly reads: number;
}
