import { notWritten } from "./not-written.js";

/**
 * All that the database keeps, as a stream: for dumps, and to move to another storage. `export` gives parts (`inParts` of core), `import`
 * takes records, and refuses those that contradict one another with `contradictingRecords()`. An import goes at the pace of whoever
 * gives the records: let it have a connection of its own, or all who share its one wait for its end. A second import is
 * `busy` at once, so ask for a lock that does not wait and that ends with the process. `close` waits for what `ready` runs: let that last
 * as long as an export.
 *
 * @type {(engine: import("./engine.js").Engine, ready: <T>(work: () => Promise<T>) => Promise<T>) => import("@sallyport/core").StorageArchive} `ready` runs work while the storage is open and migrated, and refuses it otherwise
 */
export const storageArchive = (engine, ready) => ({
  export() {
    return notWritten("archive.export");
  },

  async import(records) {
    return notWritten("archive.import");
  },
});
