import { notImplemented } from "./not-implemented.js";

/**
 * Everything that the database keeps, as of one moment: that at which the first record is asked for. The records come section by section
 * in the order of `archiveSections`, and the reader may be slow: read on a connection that nothing else waits for.
 *
 * @param {import("./engine.js").Engine} engine
 * @returns {AsyncIterable<import("@sallyport/storage").ArchiveRecord>}
 */
export function recordsOf(engine) {
  return notImplemented("archive.export");
}

/**
 * Locks the database for an import, without waiting. Returns the function that unlocks it; `null` if another process has
 * the lock. Within one process the template does this. With `severalProcesses`, take a lock here that ends with its process.
 *
 * @param {import("./engine.js").Engine} engine
 * @returns {Promise<(() => void) | null>}
 */
export async function lockForImport(engine) {
  return () => {};
}

/**
 * Writes the records in the transaction that is open on this connection, which commits if it is `imported` and rolls back otherwise.
 * `notEmpty` if there is anything that an archive could contain. Records that contradict one another are refused with
 * `inconsistentRecords()`.
 *
 * @param {import("./engine.js").Connection} connection
 * @param {AsyncIterable<import("@sallyport/storage").ArchiveRecord>} records
 * @returns {Promise<"imported" | "notEmpty">}
 */
export async function fill(connection, records) {
  return notImplemented("archive.import");
}
