import { inChunks } from "@sallyport/storage";
import { serviceErrorOf } from "./service-error-of.js";

/**
 * Exports and imports the whole database, for dumps and for migration to another storage. An export keeps the storage
 * open until it ends. An import is one transaction on its own connection; with a single connection, all other calls
 * wait for it. A second import returns `busy`.
 *
 * @param {import("./engine.js").Engine} engine
 * @param {Pick<typeof import("./archive-records.js"), "recordsOf" | "lockForImport" | "fill">} records the reader and the writer of records
 * @param {<T>(work: () => Promise<T>) => Promise<T>} ready runs work if the storage is open and migrated, and refuses it otherwise
 * @returns {import("@sallyport/storage").StorageArchive}
 */
export function storageArchive(engine, { recordsOf, lockForImport, fill }, ready) {
  let isImporting = false;

  /**
   * @param {AsyncIterable<import("@sallyport/storage").ArchiveRecord>} records
   * @returns {Promise<"imported" | "notEmpty">}
   */
  async function importAll(records) {
    const given = rememberingErrors(records);
    try {
      return await engine.withConnection(async (connection) => {
        await engine.begin(connection);
        try {
          const outcome = await fill(connection, given);
          if (outcome === "imported") await engine.commit(connection);
          else await engine.rollback(connection);
          return outcome;
        } catch (error) {
          await engine.rollback(connection).catch(() => {});
          throw error;
        }
      });
    } catch (error) {
      throw given.hasThrown(error) ? error : serviceErrorOf(error);
    }
  }

  return {
    async *export() {
      const end = await beginCall(ready);
      try {
        yield* inChunks(recordsOf(engine));
      } catch (error) {
        throw serviceErrorOf(error);
      } finally {
        end();
      }
    },

    import(records) {
      return ready(async () => {
        if (isImporting) return "busy";
        isImporting = true;
        try {
          const release = await lockForImport(engine);
          if (release === null) return "busy";
          return await importAll(records).finally(release);
        } finally {
          isImporting = false;
        }
      });
    },
  };
}

/**
 * Begins a call that lasts until the returned function is called.
 *
 * @param {<T>(work: () => Promise<T>) => Promise<T>} ready
 * @returns {Promise<() => void>}
 */
function beginCall(ready) {
  return new Promise((begin, refuse) => {
    /** @type {() => Promise<void>} */
    const untilEnd = () =>
      new Promise((end) => {
        begin(end);
      });
    ready(untilEnd).catch(refuse);
  });
}

/**
 * The records of an import. Stores the error of the source, which is rethrown unchanged.
 *
 * @param {AsyncIterable<import("@sallyport/storage").ArchiveRecord>} records
 */
function rememberingErrors(records) {
  /** @type {unknown} */
  let failure;
  return {
    async *[Symbol.asyncIterator]() {
      try {
        yield* records;
      } catch (error) {
        failure = error;
        throw error;
      }
    },

    /** @param {unknown} error */
    hasThrown: (error) => error === failure,
  };
}
