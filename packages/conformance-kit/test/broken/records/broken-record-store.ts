import type { RecordRepository, StoredRecord } from "@sallyport/storage";
import { type BrokenAdapter, broken } from "../broken-adapter.ts";

export type RecordFault = (records: RecordRepository) => Partial<RecordRepository>;

/** A storage with a fault in its records, created for every transaction from the shared state of `makeFault`. */
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

/** The same without a shared state. */
export function brokenRecords(fault: string, caughtBy: string | readonly string[], faulty: RecordFault): BrokenAdapter {
  return brokenRecordStore(fault, caughtBy, () => faulty);
}

/** All records of a kind. */
export function all(records: RecordRepository, kind: string, owner?: string): Promise<StoredRecord[]> {
  const selection = { after: null, limit: 10_000 };
  return records.list(kind, owner === undefined ? selection : { ...selection, owner });
}

export const keyOf = (kind: string, id: string) => `${kind} ${id}`;
