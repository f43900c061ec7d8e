import type { Repositories, Storage } from "@sallyport/core";

/** The storage that a check looks at, and the power over its clock. */
export class Subject {
  constructor(
    readonly storage: Storage,
    /** A second connection to the same database, as another process would have it. */
    readonly another: () => Promise<Storage>,
    /** Lets the next creations of app names, so many, lose against another writer. */
    readonly loseNext: (times: number) => Promise<void>,
    /** Lets this many milliseconds pass on the storage's clock. */
    readonly advance: (milliseconds: number) => void,
  ) {}

  get r(): Repositories {
    return this.storage.repositories;
  }
}
