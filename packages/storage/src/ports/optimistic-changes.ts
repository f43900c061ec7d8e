import { ServiceError } from "../errors/index.ts";
import type { RecordKind, RecordRepository, StoredRecord } from "./record-repository.ts";

/**
 * Changes a record with optimistic concurrency. Only for records that never expire: the write would remove a lifetime.
 * `work` returns the new value, or `null` to keep the record. It runs again after a conflicting write. `false` if nothing
 * was changed or there is no record.
 *
 * @param current the record as just read; saves one read
 */
export async function changeRecord<Value>(
  records: RecordRepository,
  kind: RecordKind<Value>,
  id: string,
  work: (value: Value) => Value | null,
  current?: Pick<StoredRecord<Value>, "owner" | "value" | "version">,
): Promise<boolean> {
  const read = async () => (await records.get(kind, [id]))[0];
  let record: typeof current = current ?? (await read());
  for (; record !== undefined; record = await read()) {
    const value = work(record.value);
    if (value === null) return false;
    const { owner, version: ifVersion } = record;
    if ((await records.put(kind, id, value, { owner, ifVersion })) === "stored") return true;
  }
  return false;
}

const maxAttempts = 1_000;

/**
 * Repeats a change that depends on what it has read, as long as it returns `undefined`: another writer came first. 706 if
 * others come first all the time, or if the storage never keeps a change.
 */
export async function untilDone<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let count = 1; count <= maxAttempts; count += 1) {
    const result = await attempt();
    if (result !== undefined) return result;
  }
  throw new ServiceError(706, { detail: "Other writers keep changing the same data.", retryAfter: 1 });
}
