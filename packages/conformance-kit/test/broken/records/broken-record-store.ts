import type { RecordRepository, StoredRecord } from "@sallyport/core";
import { type BrokenAdapter, broken } from "../broken-adapter.ts";

export type RecordFault = (records: RecordRepository) => Partial<RecordRepository>;

/** A storage whose records have a fault. It is made anew for every transaction, from what `makeFault` keeps for all of them. */
export function brokenRecordStore(
  fault: string,
  caughtBy: string | readonly string[],
  makeFault: () => RecordFault,
): BrokenAdapter {
  return broken(fault, caughtBy, () => {
    const faulty = makeFault();
    return (r) => ({ records: faulty(r.records) });
  });
}

/** The same of one that keeps nothing. */
export function brokenRecords(fault: string, caughtBy: string | readonly string[], faulty: RecordFault): BrokenAdapter {
  return brokenRecordStore(fault, caughtBy, () => faulty);
}

/** Every record of a kind. */
export function all(records: RecordRepository, kind: string, owner?: string): Promise<StoredRecord[]> {
  const selection = { after: null, limit: 10_000 };
  return records.list(kind, owner === undefined ? selection : { ...selection, owner });
}

export const keyOf = (kind: string, id: string) => `${kind} ${id}`;
