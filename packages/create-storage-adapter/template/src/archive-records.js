import { notWritten } from "./not-written.js";

/**
 * Everything that the database keeps, as of one moment: that at which the first record is asked for. The records come section by section
 * in the order of `archiveSections`, and whoever reads them may take his time: read on a connection that others do not wait for.
 *
 * @param {import("./engine.js").Engine} engine
 * @returns {AsyncIterable<import("@sallyport/core").ArchiveRecord>}
 */
export function recordsOf(engine) {
  return notWritten("archive.export");
}

/**
 * Writes the records in the transaction that is open on this connection, which commits if it is `imported` and rolls back otherwise.
 * `notEmpty` if there is anything that an archive could hold. Records that contradict one another are refused with
 * `contradictingRecords()`. With `severalProcesses`, `busy` at once while another process is at it: ask for a lock that does not wait and that
 * ends with the process.
 *
 * @param {import("./engine.js").Connection} connection
 * @param {AsyncIterable<import("@sallyport/core").ArchiveRecord>} records
 * @returns {Promise<"imported" | "notEmpty" | "busy">}
 */
export async function fill(connection, records) {
  return notWritten("archive.import");
}
