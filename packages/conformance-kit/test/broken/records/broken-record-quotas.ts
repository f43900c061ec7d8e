import type { RecordQuota, RecordRepository } from "@sallyport/storage";
import { type BrokenAdapter, pause } from "../broken-adapter.ts";
import { brokenRecords, brokenRecordStore } from "./broken-record-store.ts";

type Within = Parameters<RecordRepository["putWithin"]>[3];

/** Puts with altered arguments. All other calls are unchanged. */
const changed =
  (change: (options: Within) => Within) =>
  (records: RecordRepository): Partial<RecordRepository> => ({
    putWithin: (kind, id, value, options) => records.putWithin(kind, id, value, change(options)),
  });

const inQuota = (change: (room: RecordQuota) => RecordQuota) =>
  changed((options) => ({ ...options, quota: change(options.quota) }));

/** Faults in record quotas. */
export const brokenRecordQuotas: readonly BrokenAdapter[] = [
  brokenRecords(
    "ignores record quotas",
    [
      "limits the records of each owner and kind",
      "limits all records of a kind",
      "reports a full owner before a full kind",
      "stores any number of records without a limit",
      "applies quotas to owners with hostile and long names",
      "counts the writes of a transaction towards a quota",
      "frees a quota when a record is taken, removed, settled or expired",
      "counts a record for its new owner after the owner changes",
      "enforces a quota exactly across concurrent puts",
      "enforces a quota exactly for many concurrent owners",
      "waits for a concurrent transaction that uses the quota",
    ],
    inQuota(() => ({ perOwner: 0, total: 0 })),
  ),

  brokenRecords(
    "stores one record beyond the quota",
    [
      "limits the records of each owner and kind",
      "limits all records of a kind",
      "reports a full owner before a full kind",
      "stores any number of records without a limit",
      "applies quotas to owners with hostile and long names",
      "counts the writes of a transaction towards a quota",
      "frees a quota when a record is taken, removed, settled or expired",
      "counts a record for its new owner after the owner changes",
      "enforces a quota exactly across concurrent puts",
      "enforces a quota exactly for many concurrent owners",
      "waits for a concurrent transaction that uses the quota",
    ],
    inQuota(({ perOwner, total }) => ({ perOwner: perOwner && perOwner + 1, total: total && total + 1 })),
  ),

  brokenRecords(
    "leaves the last slot of a quota unused",
    [
      "limits the records of each owner and kind",
      "limits all records of a kind",
      "reports a full owner before a full kind",
      "stores any number of records without a limit",
      "counts the writes of a transaction towards a quota",
      "enforces a quota exactly across concurrent puts",
      "enforces a quota exactly for many concurrent owners",
    ],
    inQuota(({ perOwner, total }) => ({
      perOwner: perOwner && Math.max(1, perOwner - 1),
      total: total && Math.max(1, total - 1),
    })),
  ),

  brokenRecords(
    "ignores the quota of an owner",
    [
      "limits the records of each owner and kind",
      "reports a full owner before a full kind",
      "stores any number of records without a limit",
      "applies quotas to owners with hostile and long names",
      "counts the writes of a transaction towards a quota",
      "frees a quota when a record is taken, removed, settled or expired",
      "counts a record for its new owner after the owner changes",
      "enforces a quota exactly across concurrent puts",
      "waits for a concurrent transaction that uses the quota",
    ],
    inQuota((room) => ({ ...room, perOwner: 0 })),
  ),

  brokenRecords(
    "ignores the quota of a kind",
    [
      "limits all records of a kind",
      "reports a full owner before a full kind",
      "stores any number of records without a limit",
      "counts the writes of a transaction towards a quota",
      "frees a quota when a record is taken, removed, settled or expired",
      "enforces a quota exactly across concurrent puts",
      "enforces a quota exactly for many concurrent owners",
      "waits for a concurrent transaction that uses the quota",
    ],
    inQuota((room) => ({ ...room, total: 0 })),
  ),

  brokenRecords(
    "treats an unlimited quota as zero",
    [
      "refuses to put or settle a record with an unstorable text",
      "keeps owner and lifetime if a put is refused",
      "gives a record a new, never reused version with every write and claim",
      "stores any number of records without a limit",
    ],
    (records) => ({
      putWithin: async (kind, id, value, options) =>
        options.quota.perOwner === 0 && options.quota.total === 0
          ? "full"
          : records.putWithin(kind, id, value, options),
    }),
  ),

  brokenRecords(
    "gives each owner the quota of the kind",
    [
      "limits all records of a kind",
      "reports a full owner before a full kind",
      "stores any number of records without a limit",
      "counts the writes of a transaction towards a quota",
      "enforces a quota exactly across concurrent puts",
      "enforces a quota exactly for many concurrent owners",
      "waits for a concurrent transaction that uses the quota",
    ],
    inQuota(({ perOwner, total }) => ({ perOwner: perOwner || total, total: 0 })),
  ),

  brokenRecords(
    "applies the quota of one owner to all",
    [
      "commits or rolls back all record writes of a transaction",
      "limits the records of each owner and kind",
      "reports a full owner before a full kind",
      "stores any number of records without a limit",
      "applies quotas to owners with hostile and long names",
      "counts a record for its new owner after the owner changes",
      "enforces a quota exactly across concurrent puts",
      "enforces a quota exactly for many concurrent owners",
    ],
    (records) => ({
      putWithin: async (kind, id, value, options) => {
        const { perOwner, total } = options.quota;
        const quota = { perOwner: 0, total: perOwner || total };
        const outcome = await records.putWithin(kind, id, value, { ...options, quota });
        return outcome === "full" && perOwner > 0 ? "ownerFull" : outcome;
      },
    }),
  ),

  brokenRecords(
    "reports a full owner as a full kind",
    [
      "limits the records of each owner and kind",
      "reports a full owner before a full kind",
      "stores any number of records without a limit",
      "applies quotas to owners with hostile and long names",
      "counts the writes of a transaction towards a quota",
      "counts a record for its new owner after the owner changes",
      "enforces a quota exactly across concurrent puts",
      "waits for a concurrent transaction that uses the quota",
    ],
    (records) => ({
      putWithin: async (kind, id, value, options) => {
        const outcome = await records.putWithin(kind, id, value, options);
        return outcome === "ownerFull" ? "full" : outcome;
      },
    }),
  ),

  brokenRecords(
    "shares a quota between owners that differ by case",
    ["limits the records of each owner and kind"],
    changed((options) => ({ ...options, owner: options.owner.toLowerCase() })),
  ),

  brokenRecords(
    "shares a quota between owners that differ by a space",
    ["limits the records of each owner and kind"],
    changed((options) => ({ ...options, owner: options.owner.trim() })),
  ),

  brokenRecords(
    "stores a refused record",
    [
      "limits the records of each owner and kind",
      "limits all records of a kind",
      "stores any number of records without a limit",
      "counts the writes of a transaction towards a quota",
      "frees a quota when a record is taken, removed, settled or expired",
      "enforces a quota exactly across concurrent puts",
      "enforces a quota exactly for many concurrent owners",
    ],
    (records) => ({
      putWithin: async (kind, id, value, options) => {
        const outcome = await records.putWithin(kind, id, value, options);
        if (outcome !== "stored" && outcome !== "exists") await records.put(kind, id, value, options);
        return outcome;
      },
    }),
  ),

  brokenRecords(
    "removes records of an owner instead of refusing one",
    [
      "limits the records of each owner and kind",
      "limits all records of a kind",
      "reports a full owner before a full kind",
      "stores any number of records without a limit",
      "applies quotas to owners with hostile and long names",
      "counts the writes of a transaction towards a quota",
      "frees a quota when a record is taken, removed, settled or expired",
      "counts a record for its new owner after the owner changes",
      "enforces a quota exactly across concurrent puts",
      "enforces a quota exactly for many concurrent owners",
      "waits for a concurrent transaction that uses the quota",
    ],
    (records) => ({
      putWithin: async (kind, id, value, options) => {
        const outcome = await records.putWithin(kind, id, value, options);
        if (outcome === "stored" || outcome === "exists") return outcome;
        await records.remove(kind, { owner: options.owner });
        await records.put(kind, id, value, options);
        return "stored";
      },
    }),
  ),

  brokenRecords(
    "replaces an existing record within a quota",
    ["keeps owner and lifetime if a put is refused", "stores records within a quota like any others"],
    (records) => ({
      putWithin: async (kind, id, value, options) => {
        await records.remove(kind, { ids: [id] });
        return records.putWithin(kind, id, value, options);
      },
    }),
  ),

  brokenRecords(
    "drops unstorable characters of an owner within a quota",
    ["refuses to put or settle a record with an unstorable text"],
    changed((options) => ({ ...options, owner: options.owner.replaceAll(/[\0\p{Surrogate}]/gu, "") })),
  ),

  brokenRecords(
    "ignores the lifetime of records within a quota",
    ["frees a quota when a record is taken, removed, settled or expired"],
    changed((options) => ({ ...options, lifetime: null })),
  ),

  brokenRecordStore(
    "counts former records towards a quota",
    [
      "stores any number of records without a limit",
      "counts the writes of a transaction towards a quota",
      "frees a quota when a record is taken, removed, settled or expired",
      "counts a record for its new owner after the owner changes",
      "waits for a concurrent transaction that uses the quota",
    ],
    () => {
      const given: { readonly kind: string; readonly owner: string }[] = [];
      return (records) => ({
        putWithin: async (kind, id, value, options) => {
          const { perOwner, total } = options.quota;
          const ofKind = given.filter((one) => one.kind === kind);
          if (perOwner > 0 && ofKind.filter(({ owner }) => owner === options.owner).length >= perOwner)
            return "ownerFull";
          if (total > 0 && ofKind.length >= total) return "full";
          given.push({ kind, owner: options.owner });
          return records.putWithin(kind, id, value, { ...options, quota: { perOwner: 0, total: 0 } });
        },
      });
    },
  ),

  brokenRecords(
    "counts records before it puts one within a quota",
    [
      "enforces a quota exactly across concurrent puts",
      "enforces a quota exactly for many concurrent owners",
      "waits for a concurrent transaction that uses the quota",
    ],
    (records) => ({
      putWithin: async (kind, id, value, options) => {
        const { perOwner, total } = options.quota;
        const all = await records.list(kind, { after: null, limit: 10_000 });
        await pause();
        if (perOwner > 0 && all.filter(({ owner }) => owner === options.owner).length >= perOwner) return "ownerFull";
        if (total > 0 && all.length >= total) return "full";
        return records.putWithin(kind, id, value, { ...options, quota: { perOwner: 0, total: 0 } });
      },
    }),
  ),

  brokenRecords(
    "enforces the owner quota exactly and checks the kind quota first",
    [
      "enforces a quota exactly across concurrent puts",
      "enforces a quota exactly for many concurrent owners",
      "waits for a concurrent transaction that uses the quota",
    ],
    (records) => ({
      putWithin: async (kind, id, value, options) => {
        const { perOwner, total } = options.quota;
        const { count } = await records.count(kind);
        await pause();
        const outcome = await records.putWithin(kind, id, value, { ...options, quota: { perOwner, total: 0 } });
        if (outcome !== "stored" || total === 0 || count < total) return outcome;
        await records.take(kind, id);
        return "full";
      },
    }),
  ),

  brokenRecords(
    "stores the last of two concurrent puts within a quota",
    ["stores one of several concurrent puts with the same ID within a quota"],
    (records) => ({
      putWithin: async (kind, id, value, options) => {
        if ((await records.get(kind, [id])).length > 0) return "exists";
        await pause();
        await records.remove(kind, { ids: [id] });
        return records.putWithin(kind, id, value, options);
      },
    }),
  ),
];
