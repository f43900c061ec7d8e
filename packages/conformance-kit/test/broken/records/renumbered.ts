import type { RecordRepository, StoredRecord } from "@sallyport/storage";

/** Maps stored versions to shown ones and back. */
export interface Numbering {
  readonly shown: (record: StoredRecord) => Partial<Pick<StoredRecord, "version" | "createdVersion">>;
  /** `null`: none. */
  readonly meant: (kind: string, id: string, shown: number) => Promise<number | null> | number | null;
}

/** Records with renumbered versions. */
export function renumbered(records: RecordRepository, { shown, meant }: Numbering): Partial<RecordRepository> {
  const show = <T extends StoredRecord<never>>(list: T[]) =>
    list.map((record) => ({ ...record, ...shown(record as StoredRecord) }));
  return {
    get: async (kind, ids) => show((await records.get(kind, ids)) as StoredRecord<never>[]),
    list: async (kind, selection) => show((await records.list(kind, selection)) as StoredRecord<never>[]),
    claim: async (kind, limit, lease) => show((await records.claim(kind, limit, lease)) as never) as never,
    put: async (kind, id, value, options = {}) => {
      if (typeof options.ifVersion !== "number") return records.put(kind, id, value, options);
      const ifVersion = await meant(kind, id, options.ifVersion);
      return ifVersion === null ? "stale" : records.put(kind, id, value, { ...options, ifVersion });
    },
    settle: async (kind, { id, version }, settlement) => {
      const real = await meant(kind, id, version);
      return real !== null && records.settle(kind, { id, version: real }, settlement);
    },
  };
}
