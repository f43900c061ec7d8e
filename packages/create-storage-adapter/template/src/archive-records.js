import { notImplemented } from "./not-implemented.js";

/**
 * Everything that the database keeps, as of one moment: that at which the first record is asked for. The records come section by section
 * in the order of `archiveSections`, and the reader may be slow: read on a connection that nothing else waits for.
 *
 * @param {import("./engine.js").Engine} engine
 * @returns {AsyncIterable<import("@sallyport/core").ArchiveRecord>}
 */
export function recordsOf(engine) {
  return notImplemented("archive.export");
}

/**
 * Asks for the right to import, without waiting, and gives what returns it; `null` if another process has it. Within one process the
 * starter sees to that. With `severalProcesses`, take a lock here that ends with its process.
 *
 * @param {import("./engine.js").Engine} engine
 * @returns {Promise<(() => void) | null>}
 */
export async function claimImport(engine) {
  return () => {};
}

/**
 * Writes the records in the transaction that is open on this connection, which commits if it is `imported` and rolls back otherwise.
 * `notEmpty` if there is anything that an archive could hold. Records that contradict one another are refused with
 * `inconsistentRecords()`.
 *
 * @param {import("./engine.js").Connection} connection
 * @param {AsyncIterable<import("@sallyport/core").ArchiveRecord>} records
 * @returns {Promise<"imported" | "notEmpty">}
 */
export async function fill(connection, records) {
  return notImplemented("archive.import");
}
