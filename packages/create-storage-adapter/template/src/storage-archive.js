import { notWritten } from "./not-written.js";

/**
 * All that the database keeps, as a stream: for dumps, and to move to another storage.
 *
 * @type {(engine: import("./engine.js").Engine) => import("@sallyport/core").StorageArchive}
 */
export const storageArchive = (engine) => ({
  export() {
    return notWritten("archive.export");
  },

  async import(records) {
    return notWritten("archive.import");
  },
});
