import type { Repositories, Storage } from "@sallyport/core";

/** The storage that a check looks at, and the power over what is around it. */
export interface Subject {
  readonly storage: Storage;
  /** Its repositories. */
  readonly r: Repositories;
  /** Opens a second connection to the same database, as another process would have it. */
  readonly another: () => Promise<Storage>;
  /** Opens the database once more after it was closed, as the next process would. */
  readonly reopen: () => Promise<Storage>;
  /** Lets the next creations of app names, so many, lose against another writer. */
  readonly loseNext: (times: number) => Promise<void>;
  /** Lets this many milliseconds pass on the storage's clock. */
  readonly advance: (milliseconds: number) => void;
}
