import type { ClaimedRecord, RecordRepository } from "@sallyport/storage";
import type { BrokenAdapter } from "../broken-adapter.ts";
import { brokenRecords, brokenRecordStore } from "./broken-record-store.ts";

/** Claims with altered results. */
const claimed =
  (change: (list: ClaimedRecord[]) => ClaimedRecord[]) =>
  (records: RecordRepository): Partial<RecordRepository> => ({
    claim: async (kind, limit, lease) => change((await records.claim(kind, limit, lease)) as ClaimedRecord[]) as never,
  });

/** Faults in record claims. */
export const brokenRecordClaims: readonly BrokenAdapter[] = [
  brokenRecords(
    "removes a record when it is claimed",
    [
      "stores values of every JSON type",
      "keeps the records of different kinds separate",
      "refuses to put or settle a record with an unstorable text",
      "dates the creation of a record with the storage clock and keeps that time",
      "gives a record a new, never reused version with every write and claim",
      "keeps the first version of a record until the record ends",
      "takes a claimed record",
      "removes a claimed record and refuses to settle it afterwards",
      "returns the number of records and the age of the oldest one",
      "frees a quota when a record is taken, removed, settled or expired",
      "claims records in creation order up to the limit",
      "returns the record with the number of its claims and its age",
      "claims a record again only after its lease expires",
      "commits claims and settlements with their transaction",
      "ends a claim when its record is put, which is due immediately with no claims",
      "settles a claim as done once",
      "settles each claim by its own ID and kind only",
      "refuses to settle a claim after a newer one",
      "settles an expired claim if there is no newer one",
      "refuses to settle a claim of an expired record, and does not extend its lifetime",
      "makes each settled record due again after its own delay",
      "replaces the value of a claimed record and keeps its version and lease",
      "replaces the value and the due time of a claimed record, or the due time only",
    ],
    (records) => ({
      claim: async (kind, limit, lease) => {
        const list = await records.claim(kind, limit, lease);
        for (const one of list) await records.settle(kind, one, "done");
        return list as never;
      },
    }),
  ),

  brokenRecords(
    "settles every claim as done",
    [
      "returns nothing for records that were never put",
      "treats unstorable IDs and owners as absent in reads and removals",
      "removes a claimed record and refuses to settle it afterwards",
      "ends a claim when its record is put, which is due immediately with no claims",
      "settles a claim as done once",
      "settles each claim by its own ID and kind only",
      "refuses to settle a claim after a newer one",
      "refuses to settle a claim after its record is put or removed",
    ],
    (records) => ({
      settle: async (kind, one, settlement) => (await records.settle(kind, one, settlement)) || settlement === "done",
    }),
  ),

  brokenRecordStore(
    "does not count claimed records",
    [
      "returns the number of records and the age of the oldest one",
      "claims a record again only after its lease expires",
      "settles a claim as done once",
    ],
    () => {
      const ids = new Set<string>();
      return (records) => ({
        claim: async (kind, limit, lease) => {
          const list = await records.claim(kind, limit, lease);
          for (const { id } of list) ids.add(id);
          return list as never;
        },
        count: async (kind) => {
          const { count, oldest } = await records.count(kind);
          return { count: Math.max(0, count - ids.size), oldest };
        },
      });
    },
  ),

  brokenRecords(
    "returns ages in seconds",
    ["returns the record with the number of its claims and its age"],
    claimed((list) => list.map((one) => ({ ...one, age: one.age / 1_000 }))),
  ),

  brokenRecords(
    "returns the number of earlier claims",
    [
      "treats expired records as absent in every call",
      "returns the record with the number of its claims and its age",
      "claims a record again only after its lease expires",
      "claims each record once across concurrent claims",
      "rolls back claims with their transaction",
      "ends a claim when its record is put, which is due immediately with no claims",
      "refuses to settle a claim of an expired record, and does not extend its lifetime",
      "makes each settled record due again after its own delay",
      "replaces the value of a claimed record and keeps its version and lease",
      "replaces the value and the due time of a claimed record, or the due time only",
    ],
    claimed((list) => list.map((one) => ({ ...one, claims: one.claims - 1 }))),
  ),

  brokenRecords(
    "claims the latest record first",
    ["claims records in creation order up to the limit", "settles each claim by its own ID and kind only"],
    claimed((list) => list.toReversed()),
  ),

  brokenRecords(
    "claims records in order of their IDs",
    ["claims records in creation order up to the limit"],
    claimed((list) => list.toSorted((one, other) => (one.id < other.id ? -1 : 1))),
  ),

  brokenRecordStore(
    "claims recently settled or put records first",
    ["claims records in creation order up to the limit", "settles each claim by its own ID and kind only"],
    () => {
      const order = new Map<string, number>();
      let next = 1;
      return (records) => ({
        put: (kind, id, value, options) => {
          order.set(id, next++);
          return records.put(kind, id, value, options);
        },
        settle: (kind, one, settlement) => {
          order.set(one.id, next++);
          return records.settle(kind, one, settlement);
        },
        claim: async (kind, limit, lease) =>
          (await records.claim(kind, limit, lease)).toSorted(
            (one, other) => (order.get(one.id) ?? 0) - (order.get(other.id) ?? 0),
          ) as never,
      });
    },
  ),

  brokenRecords(
    "claims one record at a time",
    ["claims records in creation order up to the limit", "settles each claim by its own ID and kind only"],
    (records) => ({
      claim: (kind, limit, lease) => records.claim(kind, Math.min(limit, 1), lease),
    }),
  ),

  brokenRecords(
    "claims all records, due or not",
    ["claims records in creation order up to the limit", "makes each settled record due again after its own delay"],
    (records) => ({
      claim: (kind, _limit, lease) => records.claim(kind, 10_000, lease),
    }),
  ),

  brokenRecords(
    "ignores the lease",
    [
      "refuses to put or settle a record with an unstorable text",
      "gives a record a new, never reused version with every write and claim",
      "claims records in creation order up to the limit",
      "claims a record again only after its lease expires",
      "claims each record once across concurrent claims",
      "commits claims and settlements with their transaction",
      "requires the version of the claim in a conditional put",
      "refuses to settle a claim after a newer one",
      "makes each settled record due again after its own delay",
      "replaces the value of a claimed record and keeps its version and lease",
    ],
    (records) => ({ claim: (kind, limit) => records.claim(kind, limit, 0) }),
  ),

  brokenRecords(
    "never ends a lease",
    [
      "returns the record with the number of its claims and its age",
      "claims a record again only after its lease expires",
      "refuses to settle a claim after a newer one",
      "replaces the value of a claimed record and keeps its version and lease",
    ],
    (records) => ({
      claim: (kind, limit) => records.claim(kind, limit, 1e12),
    }),
  ),
];
