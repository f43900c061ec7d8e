import type { Tables } from "../tables.ts";

/**
 * The stamp of what is written now: the number of the transaction, which the server gives out once, and the offset of
 * this database, which is above 0 where its rows have seen higher numbers on another server.
 */
export function writeStamp({ stampOffset }: Tables): string {
  return `${stampOffset}() + txid_current()`;
}

/** The lowest stamp that may still appear. Transactions of the whole server count; those that only read have no number. */
export function lowestOpenStamp({ stampOffset }: Tables): string {
  return `${stampOffset}() + txid_snapshot_xmin(txid_current_snapshot())`;
}

/** The lowest stamp that nobody has yet. */
export function nextStamp({ stampOffset }: Tables): string {
  return `${stampOffset}() + txid_snapshot_xmax(txid_current_snapshot())`;
}

/** The highest stamp of a row. It never falls: an object that leaves it takes a higher one, also when it goes or returns. */
export function highestStamp({ departures, objects }: Tables): string {
  return `greatest((select max(stamp) from ${objects}), (select max(stamp) from ${departures}), 0)`;
}
