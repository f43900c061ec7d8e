import type { RecordRepository, StoredRecord } from "@sallyport/storage";
import { type BrokenAdapter, pause } from "../broken-adapter.ts";
import { brokenRecords, brokenRecordStore } from "./broken-record-store.ts";
import { renumbered } from "./renumbered.ts";

/** The record with an ID, if it exists. */
async function present(records: RecordRepository, kind: string, id: string): Promise<StoredRecord | undefined> {
  return (await records.get(kind, [id]))[0];
}

/** Faults in record versions and in conditional puts. */
export const brokenRecordVersions: readonly BrokenAdapter[] = [
  brokenRecords(
    "ignores the condition of a put",
    [
      "treats expired records as absent in every call",
      "puts a record on condition that none, any or a given version exists",
      "keeps owner and lifetime if a put is refused",
      "stores one of several concurrent puts on condition that none exists",
      "stores one of several concurrent puts over the same version",
      "loses no update when stale puts are retried",
      "decides a conditional put after a concurrent transaction ends",
      "applies the same conditions to repeated puts in a transaction",
      "requires the version of the claim in a conditional put",
    ],
    (records) => ({
      put: (kind, id, value, options) => records.put(kind, id, value, { ...options, ifVersion: "any" }),
    }),
  ),

  brokenRecords(
    "never replaces a record",
    [
      "replaces a record with its value, owner and lifetime",
      "commits or rolls back all record writes of a transaction",
      "treats expired records as absent in every call",
      "puts a record on condition that none, any or a given version exists",
      "keeps owner and lifetime if a put is refused",
      "stores one of several concurrent puts over the same version",
      "loses no update when stale puts are retried",
      "decides a conditional put after a concurrent transaction ends",
      "gives a record a new, never reused version with every write and claim",
      "applies the same conditions to repeated puts in a transaction",
      "counts a record for its new owner after the owner changes",
      "ends a claim when its record is put, which is due immediately with no claims",
      "requires the version of the claim in a conditional put",
      "refuses to settle a claim after its record is put or removed",
    ],
    (records) => ({
      put: async (kind, id, value, options) => {
        const outcome = await records.put(kind, id, value, { ...options, ifVersion: "none" });
        return outcome === "exists" && options?.ifVersion !== "none" ? "stored" : outcome;
      },
    }),
  ),

  brokenRecords(
    "puts a version of an absent record",
    [
      "treats expired records as absent in every call",
      "puts a record on condition that none, any or a given version exists",
      "applies the same conditions to repeated puts in a transaction",
    ],
    (records) => ({
      put: async (kind, id, value, options) => {
        const outcome = await records.put(kind, id, value, options);
        if (outcome !== "stale" || (await present(records, kind, id)) !== undefined) return outcome;
        return records.put(kind, id, value, { ...options, ifVersion: "none" });
      },
    }),
  ),

  brokenRecords(
    "reports a stale record as existing",
    [
      "puts a record on condition that none, any or a given version exists",
      "keeps owner and lifetime if a put is refused",
      "stores one of several concurrent puts over the same version",
      "decides a conditional put after a concurrent transaction ends",
      "applies the same conditions to repeated puts in a transaction",
      "requires the version of the claim in a conditional put",
    ],
    (records) => ({
      put: async (kind, id, value, options) => {
        const outcome = await records.put(kind, id, value, options);
        return outcome === "stale" && (await present(records, kind, id)) !== undefined ? "exists" : outcome;
      },
    }),
  ),

  brokenRecords(
    "checks the version of a record before it puts",
    ["stores one of several concurrent puts over the same version", "loses no update when stale puts are retried"],
    (records) => ({
      put: async (kind, id, value, options = {}) => {
        if (typeof options.ifVersion === "number") {
          if ((await present(records, kind, id))?.version !== options.ifVersion) return "stale";
          await pause();
          return records.put(kind, id, value, { ...options, ifVersion: "any" });
        }
        return records.put(kind, id, value, options);
      },
    }),
  ),

  brokenRecords(
    "checks that a record is absent before it puts",
    [
      "stores one of several concurrent puts on condition that none exists",
      "decides a conditional put after a concurrent transaction ends",
    ],
    (records) => ({
      put: async (kind, id, value, options = {}) => {
        if (options.ifVersion === "none") {
          if ((await present(records, kind, id)) !== undefined) return "exists";
          await pause();
          return records.put(kind, id, value, { ...options, ifVersion: "any" });
        }
        return records.put(kind, id, value, options);
      },
    }),
  ),

  brokenRecords(
    "refuses one of two concurrent unconditional puts",
    ["stores every one of several concurrent unconditional puts"],
    (records) => ({
      put: async (kind, id, value, options = {}) => {
        const { ifVersion = "any" } = options;
        if (ifVersion !== "any") return records.put(kind, id, value, options);
        const before = await present(records, kind, id);
        await pause();
        return records.put(kind, id, value, { ...options, ifVersion: before?.version ?? "none" });
      },
    }),
  ),

  brokenRecords(
    "counts the versions of each record from one",
    [
      "treats expired records as absent in every call",
      "gives a record a new, never reused version with every write and claim",
      "keeps the first version of a record until the record ends",
      "stores records within a quota like any others",
      "settles each claim by its own ID and kind only",
    ],
    (records) =>
      renumbered(records, {
        shown: ({ version, createdVersion }) => ({ version: version - createdVersion + 1, createdVersion: 1 }),
        meant: async (kind, id, shown) => {
          const record = await present(records, kind, id);
          return record === undefined ? null : record.createdVersion + shown - 1;
        },
      }),
  ),

  brokenRecordStore(
    "reuses the versions of a rolled-back transaction",
    [
      "gives a record a new, never reused version with every write and claim",
      "applies the same conditions to repeated puts in a transaction",
    ],
    () => {
      let outside: RecordRepository | undefined;
      const kept = new Map<number, number>();
      return (records) => {
        const isOutside = (outside ??= records) === records;
        const numbers = isOutside ? kept : new Map(kept);
        const number = (version: number) => {
          if (!numbers.has(version)) numbers.set(version, numbers.size + 1);
          return numbers.get(version) ?? 0;
        };
        return renumbered(records, {
          shown: ({ version, createdVersion }) => ({
            createdVersion: number(createdVersion),
            version: number(version),
          }),
          meant: (_kind, _id, shown) => [...numbers].find(([, each]) => each === shown)?.[0] ?? null,
        });
      };
    },
  ),

  brokenRecordStore(
    "reuses the versions of a rolled-back nested transaction",
    ["gives a record a new, never reused version with every write and claim"],
    () => (records) => {
      const numbers = new Map<number, number>();
      return renumbered(records, {
        shown: ({ id, version }) => {
          // The ID of the record identifies the nested transaction.
          if (id === "undone") numbers.set(version + 1, version);
          return { version: numbers.get(version) ?? version };
        },
        meant: (_kind, _id, shown) => shown,
      });
    },
  ),

  brokenRecordStore(
    "keeps the version of a claimed record",
    ["requires the version of the claim in a conditional put"],
    () => {
      const before = new Map<number, number>();
      return (records) => ({
        claim: async (kind, limit, lease) => {
          const there = await records.list(kind, { after: null, limit: 10_000 });
          const claimed = await records.claim(kind, limit, lease);
          for (const { id, version } of claimed)
            before.set(there.find((record) => record.id === id)?.version ?? 0, version);
          return claimed as never;
        },
        put: (kind, id, value, options = {}) => {
          const { ifVersion = "any" } = options;
          return records.put(kind, id, value, {
            ...options,
            ifVersion: typeof ifVersion === "number" ? (before.get(ifVersion) ?? ifVersion) : ifVersion,
          });
        },
      });
    },
  ),

  brokenRecords(
    "begins a record anew with every write",
    [
      "stores one of several concurrent puts over the same version",
      "keeps the first version of a record until the record ends",
      "applies the same conditions to repeated puts in a transaction",
      "stores records within a quota like any others",
      "returns the record with the number of its claims and its age",
      "ends a claim when its record is put, which is due immediately with no claims",
    ],
    (records) =>
      renumbered(records, {
        shown: ({ version }) => ({ createdVersion: version }),
        meant: (_kind, _id, shown) => shown,
      }),
  ),

  brokenRecordStore(
    "continues an expired record with a new put",
    [
      "treats expired records as absent in every call",
      "keeps the first version of a record until the record ends",
      "stores records within a quota like any others",
    ],
    () => {
      const createdVersions = new Map<string, number>();
      return (records) =>
        renumbered(records, {
          shown: (record) => {
            if (!createdVersions.has(record.id)) createdVersions.set(record.id, record.createdVersion);
            return { createdVersion: createdVersions.get(record.id) ?? 0 };
          },
          meant: (_kind, _id, shown) => shown,
        });
    },
  ),

  brokenRecords(
    "stores the lifetime and the owner of a refused put",
    [
      "keeps owner and lifetime if a put is refused",
      "loses no update when stale puts are retried",
      "requires the version of the claim in a conditional put",
    ],
    (records) => ({
      put: async (kind, id, value, options = {}) => {
        const outcome = await records.put(kind, id, value, options);
        const there = outcome === "stored" ? undefined : await present(records, kind, id);
        if (there !== undefined) await records.put(kind, id, there.value as never, { ...options, ifVersion: "any" });
        return outcome;
      },
    }),
  ),
];
