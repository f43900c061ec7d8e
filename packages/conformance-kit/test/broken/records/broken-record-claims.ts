import type { ClaimedRecord, RecordRepository } from "@sallyport/core";
import type { BrokenAdapter } from "../broken-adapter.ts";
import { brokenRecords, brokenRecordStore } from "./broken-record-store.ts";

/** Claiming with what comes of it changed. */
const claimed =
  (change: (list: ClaimedRecord[]) => ClaimedRecord[]) =>
  (records: RecordRepository): Partial<RecordRepository> => ({
    claim: async (kind, limit, lease) => change((await records.claim(kind, limit, lease)) as ClaimedRecord[]) as never,
  });

/** Faults in the claims of records. */
export const brokenRecordClaims: readonly BrokenAdapter[] = [
  brokenRecords(
    "forgets a record when it is claimed",
    [
      "hold values of every shape",
      "are of one kind",
      "are not put with a text that cannot be stored",
      "tell by the storage's clock when they began, and keep it",
      "have another version after every write and every claim, which none had before",
      "keep the version with which they began until they end",
      "are taken also while they are claimed",
      "are removed while they are claimed, and are not settled afterwards",
      "are counted, and told for how long the oldest is there",
      "is free again when one is taken, removed, settled or over",
      "are of those first that began first, as many as are asked for",
      "show the record, how often it was claimed, and its age",
      "are not given again before their lease is over",
      "are kept and settled with their transaction",
      "end when their record is put, which is due at once and was never claimed",
      "are settled once when they are done",
      "are settled each for itself and its kind",
      "are settled no more when another claim has followed",
      "are settled also late, when no other claim has followed",
      "are settled no more when the record is over, and do not lengthen its time",
      "make a record due again when their delay is over, and others at their time",
      "give their record another value, and go on with their version and their lease",
      "give their record another value and another time, or that time alone",
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
    "is done at every settlement",
    [
      "are not there before they are put",
      "of ids and owners that cannot be stored are as good as absent",
      "are removed while they are claimed, and are not settled afterwards",
      "end when their record is put, which is due at once and was never claimed",
      "are settled once when they are done",
      "are settled each for itself and its kind",
      "are settled no more when another claim has followed",
      "are settled no more when their record was put or removed",
    ],
    (records) => ({
      settle: async (kind, one, settlement) => (await records.settle(kind, one, settlement)) || settlement === "done",
    }),
  ),

  brokenRecordStore(
    "does not count records that are claimed",
    [
      "are counted, and told for how long the oldest is there",
      "are not given again before their lease is over",
      "are settled once when they are done",
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
    "tells the age of records in seconds",
    ["show the record, how often it was claimed, and its age"],
    claimed((list) => list.map((one) => ({ ...one, age: one.age / 1_000 }))),
  ),

  brokenRecords(
    "tells with a claim how often a record was claimed before",
    [
      "are as good as absent in every call when their time is over",
      "show the record, how often it was claimed, and its age",
      "are not given again before their lease is over",
      "give each record once of many claims at once",
      "are taken back with their transaction",
      "end when their record is put, which is due at once and was never claimed",
      "are settled no more when the record is over, and do not lengthen its time",
      "make a record due again when their delay is over, and others at their time",
      "give their record another value, and go on with their version and their lease",
      "give their record another value and another time, or that time alone",
    ],
    claimed((list) => list.map((one) => ({ ...one, claims: one.claims - 1 }))),
  ),

  brokenRecords(
    "claims the latest record first",
    ["are of those first that began first, as many as are asked for", "are settled each for itself and its kind"],
    claimed((list) => list.toReversed()),
  ),

  brokenRecords(
    "claims records by their ids",
    ["are of those first that began first, as many as are asked for"],
    claimed((list) => list.toSorted((one, other) => (one.id < other.id ? -1 : 1))),
  ),

  brokenRecordStore(
    "claims first what was settled or put first",
    ["are of those first that began first, as many as are asked for", "are settled each for itself and its kind"],
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
    ["are of those first that began first, as many as are asked for", "are settled each for itself and its kind"],
    (records) => ({
      claim: (kind, limit, lease) => records.claim(kind, Math.min(limit, 1), lease),
    }),
  ),

  brokenRecords(
    "claims all records that are there",
    [
      "are of those first that began first, as many as are asked for",
      "make a record due again when their delay is over, and others at their time",
    ],
    (records) => ({
      claim: (kind, _limit, lease) => records.claim(kind, 10_000, lease),
    }),
  ),

  brokenRecords(
    "keeps no lease",
    [
      "are not put with a text that cannot be stored",
      "have another version after every write and every claim, which none had before",
      "are of those first that began first, as many as are asked for",
      "are not given again before their lease is over",
      "give each record once of many claims at once",
      "are kept and settled with their transaction",
      "change the version that a put has to name",
      "are settled no more when another claim has followed",
      "make a record due again when their delay is over, and others at their time",
      "give their record another value, and go on with their version and their lease",
    ],
    (records) => ({ claim: (kind, limit) => records.claim(kind, limit, 0) }),
  ),

  brokenRecords(
    "keeps a lease for ever",
    [
      "show the record, how often it was claimed, and its age",
      "are not given again before their lease is over",
      "are settled no more when another claim has followed",
      "give their record another value, and go on with their version and their lease",
    ],
    (records) => ({
      claim: (kind, limit) => records.claim(kind, limit, 1e12),
    }),
  ),
];
