import type { RecordRepository, StoredRecord } from "@sallyport/core";
import { type BrokenAdapter, pause } from "../broken-adapter.ts";
import { brokenRecords, brokenRecordStore } from "./broken-record-store.ts";
import { renumbered } from "./renumbered.ts";

/** The record of an id, if there is one. */
async function present(records: RecordRepository, kind: string, id: string): Promise<StoredRecord | undefined> {
  return (await records.get(kind, [id]))[0];
}

/** Faults in the versions of records, and in what is put on their condition. */
export const brokenRecordVersions: readonly BrokenAdapter[] = [
  brokenRecords(
    "puts a record against the condition",
    [
      "are as good as absent in every call when their time is over",
      "are put on the condition that none is there, that any is, or that it has a version",
      "keep their owner and their end when they are not put",
      "are put once of many puts at once where none is to be there",
      "are put once of many puts at once in the place of one version",
      "lose no update of many at once that are tried again when they are stale",
      "are stale or there already when another has put one meanwhile, and not when that is taken back",
      "are put twice in a transaction as outside of one",
      "change the version that a put has to name",
    ],
    (records) => ({
      put: (kind, id, value, options) => records.put(kind, id, value, { ...options, ifVersion: "any" }),
    }),
  ),

  brokenRecords(
    "puts no record in the place of another",
    [
      "are put in the place of those before, with all that is said of them",
      "are written by transactions as a whole, or not at all",
      "are as good as absent in every call when their time is over",
      "are put on the condition that none is there, that any is, or that it has a version",
      "keep their owner and their end when they are not put",
      "are put once of many puts at once in the place of one version",
      "lose no update of many at once that are tried again when they are stale",
      "are stale or there already when another has put one meanwhile, and not when that is taken back",
      "have another version after every write and every claim, which none had before",
      "are put twice in a transaction as outside of one",
      "goes with a record to its next owner",
      "end when their record is put, which is due at once and was never claimed",
      "change the version that a put has to name",
      "are settled no more when their record was put or removed",
    ],
    (records) => ({
      put: async (kind, id, value, options) => {
        const outcome = await records.put(kind, id, value, { ...options, ifVersion: "none" });
        return outcome === "exists" && options?.ifVersion !== "none" ? "stored" : outcome;
      },
    }),
  ),

  brokenRecords(
    "puts a version where none is there",
    [
      "are as good as absent in every call when their time is over",
      "are put on the condition that none is there, that any is, or that it has a version",
      "are put twice in a transaction as outside of one",
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
    "says of a stale record that it exists",
    [
      "are put on the condition that none is there, that any is, or that it has a version",
      "keep their owner and their end when they are not put",
      "are put once of many puts at once in the place of one version",
      "are stale or there already when another has put one meanwhile, and not when that is taken back",
      "are put twice in a transaction as outside of one",
      "change the version that a put has to name",
    ],
    (records) => ({
      put: async (kind, id, value, options) => {
        const outcome = await records.put(kind, id, value, options);
        return outcome === "stale" && (await present(records, kind, id)) !== undefined ? "exists" : outcome;
      },
    }),
  ),

  brokenRecords(
    "looks for the version of a record, then puts it",
    [
      "are put once of many puts at once in the place of one version",
      "lose no update of many at once that are tried again when they are stale",
    ],
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
    "looks whether no record is there, then puts one",
    [
      "are put once of many puts at once where none is to be there",
      "are stale or there already when another has put one meanwhile, and not when that is taken back",
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
    "refuses one of two records that are put at once without a condition",
    ["are put by every one of many puts at once that have no condition"],
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
      "are as good as absent in every call when their time is over",
      "have another version after every write and every claim, which none had before",
      "keep the version with which they began until they end",
      "is for records like any other",
      "are settled each for itself and its kind",
    ],
    (records) =>
      renumbered(records, {
        shown: ({ version, born }) => ({ version: version - born + 1, born: 1 }),
        meant: async (kind, id, shown) => {
          const record = await present(records, kind, id);
          return record === undefined ? null : record.born + shown - 1;
        },
      }),
  ),

  brokenRecordStore(
    "gives the versions of a transaction that is taken back again",
    [
      "have another version after every write and every claim, which none had before",
      "are put twice in a transaction as outside of one",
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
          shown: ({ version, born }) => ({ born: number(born), version: number(version) }),
          meant: (_kind, _id, shown) => [...numbers].find(([, each]) => each === shown)?.[0] ?? null,
        });
      };
    },
  ),

  brokenRecordStore(
    "gives the versions of a part that is taken back again",
    ["have another version after every write and every claim, which none had before"],
    () => (records) => {
      const numbers = new Map<number, number>();
      return renumbered(records, {
        shown: ({ id, version }) => {
          // The name of the record stands for the part that it is put in.
          if (id === "undone") numbers.set(version + 1, version);
          return { version: numbers.get(version) ?? version };
        },
        meant: (_kind, _id, shown) => shown,
      });
    },
  ),

  brokenRecordStore(
    "keeps the version of a record that is claimed",
    ["change the version that a put has to name"],
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
    "begins a record with every write",
    [
      "are put once of many puts at once in the place of one version",
      "keep the version with which they began until they end",
      "are put twice in a transaction as outside of one",
      "is for records like any other",
      "show the record, how often it was claimed, and its age",
      "end when their record is put, which is due at once and was never claimed",
    ],
    (records) =>
      renumbered(records, { shown: ({ version }) => ({ born: version }), meant: (_kind, _id, shown) => shown }),
  ),

  brokenRecordStore(
    "goes on with a record that was put anew",
    [
      "are as good as absent in every call when their time is over",
      "keep the version with which they began until they end",
      "is for records like any other",
    ],
    () => {
      const born = new Map<string, number>();
      return (records) =>
        renumbered(records, {
          shown: (record) => {
            if (!born.has(record.id)) born.set(record.id, record.born);
            return { born: born.get(record.id) ?? 0 };
          },
          meant: (_kind, _id, shown) => shown,
        });
    },
  ),

  brokenRecords(
    "puts the end and the owner of a record that it refuses",
    [
      "keep their owner and their end when they are not put",
      "lose no update of many at once that are tried again when they are stale",
      "change the version that a put has to name",
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
