import type { RecordKind, RecordRepository, StoredRecord } from "./record-repository.ts";

/**
 * Changes a record that has no lifetime, however many change it at once. `work` gives the new value, or `null` to leave the record as it is; it
 * runs again with what others have written meanwhile. `false` if nothing was changed, or there is no such record.
 *
 * @param found the record as it was just read, which spares reading it
 */
export async function changeRecord<Value>(
  records: RecordRepository,
  kind: RecordKind<Value>,
  id: string,
  work: (value: Value) => Value | null,
  found?: Pick<StoredRecord<Value>, "owner" | "value" | "version">,
): Promise<boolean> {
  const read = async () => (await records.get(kind, [id]))[0];
  let record: typeof found = found ?? (await read());
  for (; record !== undefined; record = await read()) {
    const value = work(record.value);
    if (value === null) return false;
    const { owner, version: ifVersion } = record;
    if ((await records.put(kind, id, value, { owner, ifVersion })) === "stored") return true;
  }
  return false;
}
