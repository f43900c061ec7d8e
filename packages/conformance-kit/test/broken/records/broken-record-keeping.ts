import type { BrokenAdapter } from "../broken-adapter.ts";
import { all, brokenRecords, brokenRecordStore, keyOf } from "./broken-record-store.ts";

const day = 86_400_000;

/** Faults in how records are put and found. */
export const brokenRecordKeeping: readonly BrokenAdapter[] = [
  brokenRecordStore("takes one kind of records for another", ["are of one kind"], () => {
    const kinds = new Map<string, string>();
    return (records) => ({
      put: (kind, id, value, options) => {
        kinds.set(id, kind);
        return records.put(kind, id, value, options);
      },
      take: (kind, id) => records.take(kinds.get(id) ?? kind, id),
    });
  }),

  brokenRecords(
    "takes kinds in any case for one",
    ["are of one kind", "are forgotten when their time is over, no more than asked for, and no others"],
    (records) => ({
      put: (kind, ...put) => records.put(kind.toLowerCase(), ...put),
      get: (kind, ids) => records.get(kind.toLowerCase(), ids),
      list: (kind, selection) => records.list(kind.toLowerCase(), selection),
      count: (kind) => records.count(kind.toLowerCase()),
      claim: (kind, limit, lease) => records.claim(kind.toLowerCase(), limit, lease),
      remove: (kind, selector) => records.remove(kind.toLowerCase(), selector),
      take: (kind, id) => records.take(kind.toLowerCase(), id),
    }),
  ),

  brokenRecords(
    "takes values that are false for none",
    [
      "hold values of every shape",
      "are put once of many puts at once where none is to be there",
      "lose no update of many at once that are tried again when they are stale",
      "is given once of many puts at once with the same id",
    ],
    (records) => ({
      get: async (kind, ids) => (await records.get(kind, ids)).filter(({ value }) => Boolean(value)) as never,
    }),
  ),

  brokenRecords(
    "takes ids with spaces at their end for those without",
    ["have ids that are told apart exactly", "are removed by their owner, all of a kind"],
    (records) => ({
      put: (kind, id, value, options) => records.put(kind, id.trimEnd(), value, options),
      get: (kind, ids) =>
        records.get(
          kind,
          ids.map((id) => id.trimEnd()),
        ),
      take: (kind, id) => records.take(kind, id.trimEnd()),
    }),
  ),

  brokenRecords(
    "takes ids with accents for those without",
    [
      "have ids that are told apart exactly",
      "are listed by the code points of their ids, part by part",
      "are listed by owner, part by part",
    ],
    (records) => {
      const plain = (id: string) => id.normalize("NFD").replaceAll(/\p{M}/gu, "");
      return {
        put: (kind, id, value, options) => records.put(kind, plain(id), value, options),
        get: (kind, ids) => records.get(kind, ids.map(plain)),
        take: (kind, id) => records.take(kind, plain(id)),
      };
    },
  ),

  brokenRecords("cuts ids of records off", ["have ids that are told apart exactly"], (records) => ({
    put: (kind, id, value, options) => records.put(kind, id.slice(0, 255), value, options),
    get: (kind, ids) =>
      records.get(
        kind,
        ids.map((id) => id.slice(0, 255)),
      ),
    take: (kind, id) => records.take(kind, id.slice(0, 255)),
  })),

  brokenRecords("cuts owners of records off", ["have owners that are told apart exactly"], (records) => ({
    put: (kind, id, value, options) =>
      records.put(kind, id, value, { ...options, owner: options?.owner?.slice(0, 64) ?? null }),
  })),

  brokenRecords(
    "takes owners of records in any case for one",
    [
      "have owners that are told apart exactly",
      "are removed by their owner, all of a kind",
      "are listed by owner, part by part",
    ],
    (records) => ({
      list: (kind, { owner, ...selection }) =>
        records.list(kind, owner === undefined ? selection : { ...selection, owner: owner.toLowerCase() }),
      put: (kind, id, value, options) =>
        records.put(kind, id, value, { ...options, owner: options?.owner?.toLowerCase() ?? null }),
      remove: (kind, selector) =>
        records.remove(kind, "owner" in selector ? { owner: selector.owner.toLowerCase() } : selector),
    }),
  ),

  brokenRecords(
    "trims texts in records",
    ["hold values of every shape", "have ids that are told apart exactly"],
    (records) => ({
      put: (kind, id, value, options) =>
        records.put(kind, id, typeof value === "string" ? (value.trim() as typeof value) : value, options),
    }),
  ),

  brokenRecords(
    "puts records with what can be stored of an owner",
    ["are not put with a text that cannot be stored"],
    (records) => ({
      put: (kind, id, value, options) =>
        records.put(kind, id, value, {
          ...options,
          owner: options?.owner?.replaceAll(/[\0\p{Surrogate}]/gu, "") ?? null,
        }),
    }),
  ),

  brokenRecords(
    "settles records with what can be stored of a value",
    ["are not put with a text that cannot be stored"],
    (records) => ({
      settle: (kind, claimed, settlement) =>
        records.settle(
          kind,
          claimed,
          settlement === "done" || typeof settlement.value !== "string"
            ? settlement
            : { ...settlement, value: settlement.value.replaceAll(/[\0\p{Surrogate}]/gu, "") as never },
        ),
    }),
  ),

  brokenRecords(
    "refuses to look for an id that cannot be stored",
    ["are got by any number of ids, each once", "of ids and owners that cannot be stored are as good as absent"],
    (records) => ({
      get: async (kind, ids) => {
        for (const id of ids) if (/[\0\p{Surrogate}]/u.test(id)) await records.put(kind, id, 1 as never);
        return records.get(kind, ids);
      },
    }),
  ),

  brokenRecords(
    "gets a record as often as it is asked for",
    ["are got by any number of ids, each once"],
    (records) => ({
      get: async (kind, ids) => {
        const found = await records.get(kind, ids);
        return ids.flatMap((id) => found.filter((record) => record.id === id)) as never;
      },
    }),
  ),

  brokenRecordStore(
    "keeps the first owner of a record",
    ["are put in the place of those before, with all that is said of them"],
    () => {
      const owners = new Map<string, string | null>();
      return (records) => ({
        put: (kind, id, value, options) => {
          const key = keyOf(kind, id);
          if (!owners.has(key)) owners.set(key, options?.owner ?? null);
          return records.put(kind, id, value, { ...options, owner: owners.get(key) ?? null });
        },
      });
    },
  ),

  brokenRecordStore(
    "keeps the first end of a record",
    ["are put in the place of those before, with all that is said of them"],
    () => {
      const lifetimes = new Map<string, number | null>();
      return (records) => ({
        put: (kind, id, value, options) => {
          const key = keyOf(kind, id);
          if (!lifetimes.has(key)) lifetimes.set(key, options?.lifetime ?? null);
          return records.put(kind, id, value, { ...options, lifetime: lifetimes.get(key) ?? null });
        },
      });
    },
  ),

  brokenRecords(
    "keeps all records for a day",
    [
      "are put in the place of those before, with all that is said of them",
      "end by the storage's clock",
      "are as good as absent in every call when their time is over",
      "are forgotten when their time is over, no more than asked for, and no others",
      "are forgotten in a transaction, too, unless it is taken back",
      "are counted without those that are over",
      "is for records like any other",
      "are settled no more when the record is over, and do not lengthen its time",
    ],
    (records) => ({
      put: (kind, id, value, options) => records.put(kind, id, value, { ...options, lifetime: day }),
    }),
  ),

  brokenRecordStore(
    "goes by the process's clock for the end of records",
    [
      "are put in the place of those before, with all that is said of them",
      "end by the storage's clock",
      "are as good as absent in every call when their time is over",
      "are forgotten when their time is over, no more than asked for, and no others",
      "are forgotten in a transaction, too, unless it is taken back",
      "are counted without those that are over",
      "is for records like any other",
      "are settled no more when the record is over, and do not lengthen its time",
    ],
    () => {
      const ends = new Map<string, number>();
      return (records) => ({
        put: (kind, id, value, { lifetime = null, ...options } = {}) => {
          ends.set(keyOf(kind, id), lifetime === null ? Infinity : Date.now() + lifetime);
          return records.put(kind, id, value, options);
        },
        get: async (kind, ids) =>
          records.get(
            kind,
            ids.filter((id) => (ends.get(keyOf(kind, id)) ?? Infinity) > Date.now()),
          ),
      });
    },
  ),

  brokenRecordStore(
    "remembers a record that is over until it is taken",
    [
      "are as good as absent in every call when their time is over",
      "are put on the condition that none is there, that any is, or that it has a version",
      "are stale or there already when another has put one meanwhile, and not when that is taken back",
      "are put twice in a transaction as outside of one",
    ],
    () => {
      const known = new Set<string>();
      return (records) => ({
        put: async (kind, id, value, options) => {
          const key = keyOf(kind, id);
          if (options?.ifVersion === "none" && known.has(key)) return "exists";
          known.add(key);
          return records.put(kind, id, value, options);
        },
        take: (kind, id) => {
          known.delete(keyOf(kind, id));
          return records.take(kind, id);
        },
        remove: (kind, selector) => {
          if ("ids" in selector) for (const id of selector.ids) known.delete(keyOf(kind, id));
          return records.remove(kind, selector);
        },
      });
    },
  ),

  brokenRecords(
    "sweeps more records than it is asked to",
    ["are forgotten when their time is over, no more than asked for, and no others"],
    (records) => ({
      sweep: (limit) => records.sweep(limit + 1),
    }),
  ),

  brokenRecords(
    "counts what it sweeps as of one kind",
    ["are forgotten when their time is over, no more than asked for, and no others"],
    (records) => ({
      sweep: async (limit) => {
        const counts = [...(await records.sweep(limit)).values()];
        return new Map(counts.length === 0 ? [] : [["sample", counts.reduce((sum, count) => sum + count)]]);
      },
    }),
  ),

  brokenRecordStore(
    "sweeps records that are good",
    ["are forgotten when their time is over, no more than asked for, and no others"],
    () => {
      const kinds = new Set<string>();
      return (records) => ({
        put: (kind, ...put) => {
          kinds.add(kind);
          return records.put(kind, ...put);
        },
        sweep: async (limit) => {
          const swept = await records.sweep(limit);
          if (swept.size > 0)
            for (const kind of kinds) for (const { id } of await all(records, kind)) await records.take(kind, id);
          return swept;
        },
      });
    },
  ),

  brokenRecords(
    "tells when a record was written last as when it began",
    [
      "tell by the storage's clock when they began, and keep it",
      "keep the version with which they began until they end",
      "are counted, and told for how long the oldest is there",
      "are of those first that began first, as many as are asked for",
      "tell how old they are, from when they began",
    ],
    (records) => ({
      put: async (kind, id, value, options = {}) => {
        const { ifVersion = "any" } = options;
        if (ifVersion === "any") await records.remove(kind, { ids: [id] });
        return records.put(kind, id, value, options);
      },
    }),
  ),
];
