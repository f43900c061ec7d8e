import type { RecordRepository } from "@sallyport/storage";
import type { BrokenAdapter } from "../broken-adapter.ts";
import { brokenRecords, brokenRecordStore } from "./broken-record-store.ts";

/** The current version of a record. */
async function versionOf(records: RecordRepository, kind: string, id: string): Promise<number> {
  return (await records.get(kind, [id]))[0]?.version ?? 0;
}

/** Faults in settling claimed records. */
export const brokenRecordSettlements: readonly BrokenAdapter[] = [
  brokenRecords(
    "settles any version of a record as done",
    [
      "ends a claim when its record is put, which is due immediately with no claims",
      "settles each claim by its own ID and kind only",
      "refuses to settle a claim after a newer one",
      "refuses to settle a claim after its record is put or removed",
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
    "replaces the value of any version of a record",
    ["refuses to settle a claim after a newer one", "refuses to settle a claim after its record is put or removed"],
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

  brokenRecords("makes any version of a record due", ["refuses to settle a claim after a newer one"], (records) => ({
    settle: async (kind, one, settlement) =>
      records.settle(
        kind,
        settlement !== "done" && settlement.value === undefined
          ? { id: one.id, version: await versionOf(records, kind, one.id) }
          : one,
        settlement,
      ),
  })),

  brokenRecords(
    "refuses late settlements",
    [
      "ends a claim when its record is put, which is due immediately with no claims",
      "refuses to settle a claim after its record is put or removed",
      "settles an expired claim if there is no newer one",
      "replaces the value and the due time of a claimed record, or the due time only",
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
      "claims records in creation order up to the limit",
      "makes each settled record due again after its own delay",
      "replaces the value of a claimed record and keeps its version and lease",
      "replaces the value and the due time of a claimed record, or the due time only",
    ],
    (records) => ({
      settle: (kind, one, settlement) =>
        records.settle(kind, one, settlement === "done" ? settlement : { ...settlement, dueIn: 60_000 }),
    }),
  ),

  brokenRecords(
    "makes every settled record due immediately",
    [
      "makes each settled record due again after its own delay",
      "replaces the value of a claimed record and keeps its version and lease",
      "replaces the value and the due time of a claimed record, or the due time only",
    ],
    (records) => ({
      settle: (kind, one, settlement) =>
        records.settle(kind, one, settlement === "done" ? settlement : { ...settlement, dueIn: 0 }),
    }),
  ),

  brokenRecords(
    "makes a record due immediately with a new value",
    ["replaces the value of a claimed record and keeps its version and lease"],
    (records) => ({
      settle: (kind, one, settlement) =>
        records.settle(kind, one, settlement === "done" ? settlement : { dueIn: 0, ...settlement }),
    }),
  ),

  brokenRecords(
    "ignores the value of a settlement with a due time",
    [
      "refuses to put or settle a record with an unstorable text",
      "refuses to settle a claim of an expired record, and does not extend its lifetime",
      "replaces the value and the due time of a claimed record, or the due time only",
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
      "refuses to settle a claim of an expired record, and does not extend its lifetime",
      "replaces the value of a claimed record and keeps its version and lease",
      "replaces the value and the due time of a claimed record, or the due time only",
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
    "reports an unchanged value as not settled",
    ["replaces the value of a claimed record and keeps its version and lease"],
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
    "keeps rolled-back claims",
    [
      "keeps the records of different kinds separate",
      "rolls back claims with their transaction",
      "settles each claim by its own ID and kind only",
    ],
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
      "keeps the records of different kinds separate",
      "rolls back claims with their transaction",
      "ends a claim when its record is put, which is due immediately with no claims",
      "settles each claim by its own ID and kind only",
      "refuses to settle a claim after its record is put or removed",
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
    "keeps the claim count of a record that is put",
    [
      "rolls back claims with their transaction",
      "ends a claim when its record is put, which is due immediately with no claims",
    ],
    () => {
      const counts = new Map<number, number>();
      return (records) => ({
        claim: async (kind, limit, lease) =>
          (await records.claim(kind, limit, lease)).map((one) => {
            const claims = (counts.get(one.createdVersion) ?? 0) + 1;
            counts.set(one.createdVersion, claims);
            return { ...one, claims: Math.max(claims, one.claims) };
          }) as never,
      });
    },
  ),

  brokenRecordStore(
    "keeps a claim valid after a put",
    [
      "ends a claim when its record is put, which is due immediately with no claims",
      "refuses to settle a claim after its record is put or removed",
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

  brokenRecordStore("settles records of any kind", ["settles each claim by its own ID and kind only"], () => {
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
    "extends the lifetime of a settled record by a day",
    [
      "refuses to put or settle a record with an unstorable text",
      "refuses to settle a claim of an expired record, and does not extend its lifetime",
      "replaces the value and the due time of a claimed record, or the due time only",
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
