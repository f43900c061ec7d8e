import { type BrokenAdapter, pause } from "../broken-adapter.ts";
import { all, brokenRecords, brokenRecordStore, keyOf } from "./broken-record-store.ts";

/** Faults in how records are taken, removed, listed and counted. */
export const brokenRecordRemoving: readonly BrokenAdapter[] = [
  brokenRecords(
    "reads a record instead of taking it",
    [
      "hold values of every shape",
      "are of one kind",
      "have ids that are told apart exactly",
      "tell by the storage's clock when they began, and keep it",
      "are written by transactions as a whole, or not at all",
      "are put on the condition that none is there, that any is, or that it has a version",
      "keep the version with which they began until they end",
      "are put twice in a transaction as outside of one",
      "are taken once, and stay there when they are only read",
      "are taken once of many tries at once",
      "are taken each for itself",
      "are taken also while they are claimed",
      "are taken or removed, never both",
      "are taken while another transaction has taken them if that is taken back",
      "are counted, and told for how long the oldest is there",
      "is for records like any other",
      "is free again when one is taken, removed, settled or over",
      "are settled no more when their record was put or removed",
    ],
    (records) => ({
      take: async (kind, id) => (await records.get(kind, [id]))[0]?.value ?? null,
    }),
  ),

  brokenRecords(
    "takes records by getting them",
    [
      "hold values of every shape",
      "are put in the place of those before, with all that is said of them",
      "have ids that are told apart exactly",
      "tell by the storage's clock when they began, and keep it",
      "end by the storage's clock",
      "are as good as absent in every call when their time is over",
      "are put on the condition that none is there, that any is, or that it has a version",
      "keep their owner and their end when they are not put",
      "are put once of many puts at once in the place of one version",
      "are put by every one of many puts at once that have no condition",
      "lose no update of many at once that are tried again when they are stale",
      "are stale or there already when another has put one meanwhile, and not when that is taken back",
      "have another version after every write and every claim, which none had before",
      "keep the version with which they began until they end",
      "are put twice in a transaction as outside of one",
      "are taken once, and stay there when they are only read",
      "are listed with all that is said of them, in a transaction, too",
      "is for records like any other",
      "show the record, how often it was claimed, and its age",
      "are settled no more when another claim has followed",
      "are settled no more when their record was put or removed",
      "give their record another value, and go on with their version and their lease",
      "give their record another value and another time, or that time alone",
      "tell how old they are, from when they began",
    ],
    (records) => ({
      get: async (kind, ids) => {
        const found = await records.get(kind, ids);
        for (const id of ids) await records.take(kind, id);
        return found as never;
      },
    }),
  ),

  brokenRecords(
    "looks whether a record is there, then takes it",
    [
      "are taken once of many tries at once",
      "are taken or removed, never both",
      "are taken while another transaction has taken them if that is taken back",
    ],
    (records) => ({
      take: async (kind, id) => {
        const [record] = await records.get(kind, [id]);
        await pause();
        await records.take(kind, id);
        return (record?.value ?? null) as never;
      },
    }),
  ),

  brokenRecords("takes all records of an owner with one of them", ["are taken each for itself"], (records) => ({
    take: async (kind, id) => {
      const [record] = await records.get(kind, [id]);
      const value = await records.take(kind, id);
      if (typeof record?.owner === "string") await records.remove(kind, { owner: record.owner });
      return value as never;
    },
  })),

  brokenRecordStore(
    "takes records for good, also in a transaction that fails",
    [
      "are written by transactions as a whole, or not at all",
      "are undone with the part of a transaction that wrote them",
      "are taken while another transaction has taken them if that is taken back",
      "is free again when one is taken, removed, settled or over",
    ],
    () => {
      const gone = new Set<string>();
      return (records) => ({
        put: (kind, id, value, options) => {
          gone.delete(keyOf(kind, id));
          return records.put(kind, id, value, options);
        },
        take: async (kind, id) => {
          const value = gone.has(keyOf(kind, id)) ? null : await records.take(kind, id);
          if (value !== null) gone.add(keyOf(kind, id));
          return value as never;
        },
        list: async (kind, selection) =>
          (await records.list(kind, selection)).filter(({ id }) => !gone.has(keyOf(kind, id))) as never,
      });
    },
  ),

  brokenRecordStore(
    "removes records of other kinds",
    ["are of one kind", "are removed by their owner, all of a kind"],
    () => {
      const kinds = new Set<string>();
      return (records) => ({
        put: (kind, ...put) => {
          kinds.add(kind);
          return records.put(kind, ...put);
        },
        remove: async (kind, selector) => {
          const removed = await records.remove(kind, selector);
          if ("owner" in selector) for (const other of kinds) await records.remove(other, selector);
          return removed;
        },
      });
    },
  ),

  brokenRecords(
    "removes records without an owner, too",
    [
      "are put in the place of those before, with all that is said of them",
      "are written by transactions as a whole, or not at all",
      "are removed by their owner, all of a kind",
      "are listed by owner, part by part",
    ],
    (records) => ({
      put: (kind, id, value, options) =>
        records.put(kind, id, value, { ...options, owner: options?.owner ?? "user:1" }),
    }),
  ),

  brokenRecords(
    "removes an owner's first hundred records",
    ["are removed by their owner, all of a kind"],
    (records) => ({
      remove: async (kind, selector) => {
        if ("ids" in selector) return records.remove(kind, selector);
        const part = await records.list(kind, { owner: selector.owner, after: null, limit: 100 });
        return records.remove(kind, { ids: part.map(({ id }) => id) });
      },
    }),
  ),

  brokenRecords(
    "tells all ids that are to be removed",
    [
      "are not there before they are put",
      "of ids and owners that cannot be stored are as good as absent",
      "are as good as absent in every call when their time is over",
      "are taken or removed, never both",
      "are removed by their ids, and told each once",
      "are removed once of many tries at once",
      "are removed in a transaction with what it has put itself",
    ],
    (records) => ({
      remove: async (kind, selector) => {
        const removed = await records.remove(kind, selector);
        return "ids" in selector ? [...new Set(selector.ids)] : removed;
      },
    }),
  ),

  brokenRecords(
    "tells a removed id as often as it is asked for",
    ["are removed by their ids, and told each once"],
    (records) => ({
      remove: async (kind, selector) => {
        const removed = await records.remove(kind, selector);
        return "ids" in selector ? selector.ids.filter((id) => removed.includes(id)) : removed;
      },
    }),
  ),

  brokenRecords(
    "looks which records there are, then removes them",
    ["are taken or removed, never both", "are removed once of many tries at once"],
    (records) => ({
      remove: async (kind, selector) => {
        const found =
          "ids" in selector ? await records.get(kind, selector.ids) : await all(records, kind, selector.owner);
        await pause();
        await records.remove(kind, selector);
        return found.map(({ id }) => id);
      },
    }),
  ),

  brokenRecords("lists records by UTF-16", ["are listed by the code points of their ids, part by part"], (records) => ({
    list: async (kind, { owner, after, limit }) =>
      (await all(records, kind, owner))
        .toSorted((one, other) => (one.id < other.id ? -1 : 1))
        .filter(({ id }) => after === null || id > after)
        .slice(0, limit) as never,
  })),

  brokenRecords(
    "lists records as a dictionary does",
    [
      "are removed by their owner, all of a kind",
      "are listed by the code points of their ids, part by part",
      "are listed by owner, part by part",
    ],
    (records) => ({
      list: async (kind, { owner, after, limit }) =>
        (await all(records, kind, owner))
          .toSorted((one, other) => one.id.localeCompare(other.id))
          .filter(({ id }) => after === null || id.localeCompare(after) > 0)
          .slice(0, limit) as never,
    }),
  ),

  brokenRecords(
    "lists the record again that a part is to follow",
    [
      "are listed by the code points of their ids, part by part",
      "are listed by owner, part by part",
      "are listed with all that is said of them, in a transaction, too",
    ],
    (records) => ({
      list: async (kind, selection) => {
        const listed = await records.list(kind, selection);
        const again = selection.after === null ? [] : await records.get(kind, [selection.after]);
        return [...again, ...listed].slice(0, selection.limit) as never;
      },
    }),
  ),

  brokenRecords("lists what an owner has of a part of all", ["are listed by owner, part by part"], (records) => ({
    list: async (kind, { owner, ...selection }) =>
      (await records.list(kind, selection)).filter((record) => owner === undefined || record.owner === owner) as never,
  })),

  brokenRecords(
    "lists a hundred records more than it is asked to",
    [
      "are listed by the code points of their ids, part by part",
      "are listed by owner, part by part",
      "are listed with all that is said of them, in a transaction, too",
    ],
    (records) => ({
      list: (kind, selection) => records.list(kind, { ...selection, limit: selection.limit + 100 }),
    }),
  ),

  brokenRecords(
    "counts the time of the latest record",
    ["are counted, and told for how long the oldest is there", "are counted without those that are over"],
    (records) => ({
      count: async (kind) => ({ ...(await records.count(kind)), oldest: 0 }),
    }),
  ),

  brokenRecords(
    "counts the records of all kinds",
    ["are counted, and told for how long the oldest is there"],
    (records) => ({
      count: async (kind) => {
        const [own, other] = [await records.count(kind), await records.count(kind === "mail" ? "sample" : "mail")];
        return { count: own.count + other.count, oldest: own.oldest };
      },
    }),
  ),

  brokenRecordStore(
    "counts records that are over",
    [
      "are put in the place of those before, with all that is said of them",
      "are as good as absent in every call when their time is over",
      "are counted, and told for how long the oldest is there",
      "are counted without those that are over",
      "is needed by no record that is put without it",
      "is that within a transaction, what it has put itself counted",
      "are settled once when they are done",
      "are settled also late, when no other claim has followed",
      "are settled no more when the record is over, and do not lengthen its time",
    ],
    () => {
      const put = new Set<string>();
      return (records) => ({
        put: (kind, id, value, options) => {
          put.add(id);
          return records.put(kind, id, value, options);
        },
        take: (kind, id) => {
          put.delete(id);
          return records.take(kind, id);
        },
        count: async (kind) => ({ ...(await records.count(kind)), count: put.size }),
      });
    },
  ),
];
