import type { RecordRepository } from "@sallyport/core";
import type { BrokenAdapter } from "../broken-adapter.ts";
import { brokenRecords, brokenRecordStore } from "./broken-record-store.ts";

/** The version that a record has by now. */
async function versionOf(records: RecordRepository, kind: string, id: string): Promise<number> {
  return (await records.get(kind, [id]))[0]?.version ?? 0;
}

/** Faults in how claimed records are settled. */
export const brokenRecordSettlements: readonly BrokenAdapter[] = [
  brokenRecords(
    "is done with a record of any version",
    [
      "end when their record is put, which is due at once and was never claimed",
      "are settled each for itself and its kind",
      "are settled no more when another claim has followed",
      "are settled no more when their record was put or removed",
    ],
    (records) => ({
      settle: async (kind, one, settlement) =>
        records.settle(
          kind,
          settlement === "done" ? { id: one.id, version: await versionOf(records, kind, one.id) } : one,
          settlement,
        ),
    }),
  ),

  brokenRecords(
    "gives a record of any version another value",
    ["are settled no more when another claim has followed", "are settled no more when their record was put or removed"],
    (records) => ({
      settle: async (kind, one, settlement) =>
        records.settle(
          kind,
          settlement !== "done" && settlement.value !== undefined
            ? { id: one.id, version: await versionOf(records, kind, one.id) }
            : one,
          settlement,
        ),
    }),
  ),

  brokenRecords(
    "makes a record of any version due",
    ["are settled no more when another claim has followed"],
    (records) => ({
      settle: async (kind, one, settlement) =>
        records.settle(
          kind,
          settlement !== "done" && settlement.value === undefined
            ? { id: one.id, version: await versionOf(records, kind, one.id) }
            : one,
          settlement,
        ),
    }),
  ),

  brokenRecords(
    "refuses to settle late",
    [
      "end when their record is put, which is due at once and was never claimed",
      "are settled no more when their record was put or removed",
      "are settled also late, when no other claim has followed",
      "give their record another value and another time, or that time alone",
    ],
    (records) => ({
      settle: async (kind, one, settlement) => {
        const overdue = await records.claim(kind, 10_000, 0);
        return !overdue.some(({ id }) => id === one.id) && (await records.settle(kind, one, settlement));
      },
    }),
  ),

  brokenRecords(
    "makes every settled record due in a minute",
    [
      "are of those first that began first, as many as are asked for",
      "make a record due again when their delay is over, and others at their time",
      "give their record another value, and go on with their version and their lease",
      "give their record another value and another time, or that time alone",
    ],
    (records) => ({
      settle: (kind, one, settlement) =>
        records.settle(kind, one, settlement === "done" ? settlement : { ...settlement, dueIn: 60_000 }),
    }),
  ),

  brokenRecords(
    "makes every settled record due at once",
    [
      "make a record due again when their delay is over, and others at their time",
      "give their record another value, and go on with their version and their lease",
      "give their record another value and another time, or that time alone",
    ],
    (records) => ({
      settle: (kind, one, settlement) =>
        records.settle(kind, one, settlement === "done" ? settlement : { ...settlement, dueIn: 0 }),
    }),
  ),

  brokenRecords(
    "makes a record due at once by another value",
    ["give their record another value, and go on with their version and their lease"],
    (records) => ({
      settle: (kind, one, settlement) =>
        records.settle(kind, one, settlement === "done" ? settlement : { dueIn: 0, ...settlement }),
    }),
  ),

  brokenRecords(
    "settles no value with another time",
    [
      "are not put with a text that cannot be stored",
      "are settled no more when the record is over, and do not lengthen its time",
      "give their record another value and another time, or that time alone",
    ],
    (records) => ({
      settle: (kind, one, settlement) =>
        records.settle(
          kind,
          one,
          settlement === "done" || settlement.dueIn === undefined ? settlement : { dueIn: settlement.dueIn },
        ),
    }),
  ),

  brokenRecords(
    "puts the value of a settlement",
    [
      "are settled no more when the record is over, and do not lengthen its time",
      "give their record another value, and go on with their version and their lease",
      "give their record another value and another time, or that time alone",
    ],
    (records) => ({
      settle: async (kind, one, settlement) => {
        if (settlement === "done" || settlement.value === undefined) return records.settle(kind, one, settlement);
        const outcome = await records.put(kind, one.id, settlement.value, { ifVersion: one.version });
        return outcome === "stored";
      },
    }),
  ),

  brokenRecordStore(
    "says that no value was settled when it is the same",
    ["give their record another value, and go on with their version and their lease"],
    () => {
      const latest = new Map<string, string>();
      return (records) => ({
        settle: async (kind, one, settlement) => {
          const value = settlement === "done" ? undefined : JSON.stringify(settlement.value);
          const isSame = value !== undefined && latest.get(one.id) === value;
          if (value !== undefined) latest.set(one.id, value);
          return (await records.settle(kind, one, settlement)) && !isSame;
        },
      });
    },
  ),

  brokenRecordStore(
    "remembers what transactions claimed that failed",
    ["are of one kind", "are taken back with their transaction", "are settled each for itself and its kind"],
    () => {
      const ids = new Set<string>();
      return (records) => ({
        claim: async (kind, limit, lease) => {
          const list = (await records.claim(kind, limit, lease)).filter(({ id, claims }) => claims > 1 || !ids.has(id));
          for (const { id } of list) ids.add(id);
          return list as never;
        },
        put: (kind, id, value, options) => {
          ids.delete(id);
          return records.put(kind, id, value, options);
        },
      });
    },
  ),

  brokenRecordStore(
    "keeps the lease of a record that is put",
    [
      "are of one kind",
      "are taken back with their transaction",
      "end when their record is put, which is due at once and was never claimed",
      "are settled each for itself and its kind",
      "are settled no more when their record was put or removed",
    ],
    () => {
      const ids = new Set<string>();
      return (records) => ({
        claim: async (kind, limit, lease) => {
          const list = (await records.claim(kind, limit, lease)).filter(({ id, claims }) => claims > 1 || !ids.has(id));
          for (const { id } of list) ids.add(id);
          return list as never;
        },
        settle: async (kind, one, settlement) => {
          const settled = await records.settle(kind, one, settlement);
          if (settled) ids.delete(one.id);
          return settled;
        },
        take: (kind, id) => {
          ids.delete(id);
          return records.take(kind, id);
        },
        remove: (kind, selector) => {
          ids.clear();
          return records.remove(kind, selector);
        },
      });
    },
  ),

  brokenRecordStore(
    "goes on counting the claims of a record that is put",
    [
      "are taken back with their transaction",
      "end when their record is put, which is due at once and was never claimed",
    ],
    () => {
      const counts = new Map<number, number>();
      return (records) => ({
        claim: async (kind, limit, lease) =>
          (await records.claim(kind, limit, lease)).map((one) => {
            const claims = (counts.get(one.born) ?? 0) + 1;
            counts.set(one.born, claims);
            return { ...one, claims: Math.max(claims, one.claims) };
          }) as never,
      });
    },
  ),

  brokenRecordStore(
    "lets a claim hold that a put has followed",
    [
      "end when their record is put, which is due at once and was never claimed",
      "are settled no more when their record was put or removed",
    ],
    () => {
      const latest = new Map<string, { readonly claimed: number; readonly put: number }>();
      return (records) => ({
        put: async (kind, id, value, options) => {
          const [before] = await records.get(kind, [id]);
          const outcome = await records.put(kind, id, value, options);
          if (before !== undefined && outcome === "stored")
            latest.set(id, { claimed: before.version, put: await versionOf(records, kind, id) });
          return outcome;
        },
        settle: (kind, { id, version }, settlement) => {
          const { claimed: before, put = version } = latest.get(id) ?? {};
          return records.settle(kind, { id, version: before === version ? put : version }, settlement);
        },
      });
    },
  ),

  brokenRecordStore("settles records of any kind", ["are settled each for itself and its kind"], () => {
    const kinds = new Set<string>();
    return (records) => ({
      put: (kind, ...put) => {
        kinds.add(kind);
        return records.put(kind, ...put);
      },
      settle: async (kind, one, settlement) => {
        for (const each of [kind, ...kinds]) if (await records.settle(each, one, settlement as never)) return true;
        return false;
      },
    });
  }),

  brokenRecords(
    "keeps a settled record for another day",
    [
      "are not put with a text that cannot be stored",
      "are settled no more when the record is over, and do not lengthen its time",
      "give their record another value and another time, or that time alone",
    ],
    (records) => ({
      settle: async (kind, one, settlement) => {
        if (settlement === "done" || settlement.dueIn === undefined) return records.settle(kind, one, settlement);
        const [before] = await records.get(kind, [one.id]);
        if (before?.version !== one.version) return false;
        await records.put(kind, one.id, before.value as never, { owner: before.owner, lifetime: 86_400_000 });
        const [again] = await records.claim(kind, 1, 60_000);
        return again !== undefined && records.settle(kind, again, settlement as never);
      },
    }),
  ),
];
