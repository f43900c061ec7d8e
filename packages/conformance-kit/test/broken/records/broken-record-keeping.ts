import type { BrokenAdapter } from "../broken-adapter.ts";
import { all, brokenRecords, brokenRecordStore, keyOf } from "./broken-record-store.ts";

const day = 86_400_000;

/** Faults in putting and finding records. */
export const brokenRecordKeeping: readonly BrokenAdapter[] = [
  brokenRecordStore("mixes up the kinds of records", ["keeps the records of different kinds separate"], () => {
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
    "compares kinds case-insensitively",
    ["keeps the records of different kinds separate", "sweeps expired records up to the limit, and no others"],
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
    "treats falsy values as absent",
    [
      "stores values of every JSON type",
      "stores one of several concurrent puts on condition that none exists",
      "loses no update when stale puts are retried",
      "stores one of several concurrent puts with the same ID within a quota",
    ],
    (records) => ({
      get: async (kind, ids) => (await records.get(kind, ids)).filter(({ value }) => Boolean(value)) as never,
    }),
  ),

  brokenRecords(
    "ignores trailing spaces in record IDs",
    ["compares record IDs exactly", "removes all records of an owner in one kind"],
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
    "ignores accents in record IDs",
    [
      "compares record IDs exactly",
      "lists records page by page in code point order of their IDs",
      "lists the records of an owner page by page",
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

  brokenRecords("truncates record IDs", ["compares record IDs exactly"], (records) => ({
    put: (kind, id, value, options) => records.put(kind, id.slice(0, 255), value, options),
    get: (kind, ids) =>
      records.get(
        kind,
        ids.map((id) => id.slice(0, 255)),
      ),
    take: (kind, id) => records.take(kind, id.slice(0, 255)),
  })),

  brokenRecords("truncates record owners", ["compares record owners exactly"], (records) => ({
    put: (kind, id, value, options) =>
      records.put(kind, id, value, { ...options, owner: options?.owner?.slice(0, 64) ?? null }),
  })),

  brokenRecords(
    "compares record owners case-insensitively",
    [
      "compares record owners exactly",
      "removes all records of an owner in one kind",
      "lists the records of an owner page by page",
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
    ["stores values of every JSON type", "compares record IDs exactly"],
    (records) => ({
      put: (kind, id, value, options) =>
        records.put(kind, id, typeof value === "string" ? (value.trim() as typeof value) : value, options),
    }),
  ),

  brokenRecords(
    "drops unstorable characters of an owner",
    ["refuses to put or settle a record with an unstorable text"],
    (records) => ({
      put: (kind, id, value, options) =>
        records.put(kind, id, value, {
          ...options,
          owner: options?.owner?.replaceAll(/[\0\p{Surrogate}]/gu, "") ?? null,
        }),
    }),
  ),

  brokenRecords(
    "drops unstorable characters of a settled value",
    ["refuses to put or settle a record with an unstorable text"],
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
    "fails on unstorable record IDs in reads",
    [
      "returns records by any number of IDs, each once",
      "treats unstorable IDs and owners as absent in reads and removals",
    ],
    (records) => ({
      get: async (kind, ids) => {
        for (const id of ids) if (/[\0\p{Surrogate}]/u.test(id)) await records.put(kind, id, 1 as never);
        return records.get(kind, ids);
      },
    }),
  ),

  brokenRecords(
    "returns a record for each repeated ID",
    ["returns records by any number of IDs, each once"],
    (records) => ({
      get: async (kind, ids) => {
        const found = await records.get(kind, ids);
        return ids.flatMap((id) => found.filter((record) => record.id === id)) as never;
      },
    }),
  ),

  brokenRecordStore(
    "keeps the first owner of a record",
    ["replaces a record with its value, owner and lifetime"],
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
    "keeps the first expiry of a record",
    ["replaces a record with its value, owner and lifetime"],
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
    "gives all records a lifetime of a day",
    [
      "replaces a record with its value, owner and lifetime",
      "expires records by the storage clock",
      "treats expired records as absent in every call",
      "sweeps expired records up to the limit, and no others",
      "rolls back a sweep of records with its transaction",
      "excludes expired records from the count",
      "stores records within a quota like any others",
      "refuses to settle a claim of an expired record, and does not extend its lifetime",
    ],
    (records) => ({
      put: (kind, id, value, options) => records.put(kind, id, value, { ...options, lifetime: day }),
    }),
  ),

  brokenRecordStore(
    "expires records by the process clock",
    [
      "replaces a record with its value, owner and lifetime",
      "expires records by the storage clock",
      "treats expired records as absent in every call",
      "sweeps expired records up to the limit, and no others",
      "rolls back a sweep of records with its transaction",
      "excludes expired records from the count",
      "stores records within a quota like any others",
      "refuses to settle a claim of an expired record, and does not extend its lifetime",
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
    "keeps an expired record until it is taken",
    [
      "treats expired records as absent in every call",
      "puts a record on condition that none, any or a given version exists",
      "decides a conditional put after a concurrent transaction ends",
      "applies the same conditions to repeated puts in a transaction",
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
    "sweeps more records than the limit",
    ["sweeps expired records up to the limit, and no others"],
    (records) => ({
      sweep: (limit) => records.sweep(limit + 1),
    }),
  ),

  brokenRecords(
    "counts all swept records for one kind",
    ["sweeps expired records up to the limit, and no others"],
    (records) => ({
      sweep: async (limit) => {
        const counts = [...(await records.sweep(limit)).values()];
        return new Map(counts.length === 0 ? [] : [["sample", counts.reduce((sum, count) => sum + count)]]);
      },
    }),
  ),

  brokenRecordStore("sweeps live records", ["sweeps expired records up to the limit, and no others"], () => {
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
  }),

  brokenRecords(
    "returns the last write as the creation time",
    [
      "dates the creation of a record with the storage clock and keeps that time",
      "keeps the first version of a record until the record ends",
      "returns the number of records and the age of the oldest one",
      "claims records in creation order up to the limit",
      "returns the age of a record since its creation",
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
