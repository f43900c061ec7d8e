import { notWritten } from "./not-written.js";

/**
 * All that the database keeps, as a stream: for dumps, and to move to another storage.
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
