import { type BrokenAdapter, pause } from "../broken-adapter.ts";
import { all, brokenRecords, brokenRecordStore, keyOf } from "./broken-record-store.ts";

/** Faults in taking, removing, listing and counting records. */
export const brokenRecordRemoving: readonly BrokenAdapter[] = [
  brokenRecords(
    "reads a record instead of taking it",
    [
      "stores values of every JSON type",
      "keeps the records of different kinds separate",
      "compares record IDs exactly",
      "dates the creation of a record with the storage clock and keeps that time",
      "commits or rolls back all record writes of a transaction",
      "puts a record on condition that none, any or a given version exists",
      "keeps the first version of a record until the record ends",
      "applies the same conditions to repeated puts in a transaction",
      "takes a record once, and keeps it on reads",
      "gives a record to one of several concurrent takes",
      "takes only the given record",
      "takes a claimed record",
      "either takes or removes a record in concurrent calls",
      "takes a record if a concurrent transaction that took it rolls back",
      "returns the number of records and the age of the oldest one",
      "stores records within a quota like any others",
      "frees a quota when a record is taken, removed, settled or expired",
      "refuses to settle a claim after its record is put or removed",
    ],
    (records) => ({
      take: async (kind, id) => (await records.get(kind, [id]))[0]?.value ?? null,
    }),
  ),

  brokenRecords(
    "takes records on reads",
    [
      "stores values of every JSON type",
      "replaces a record with its value, owner and lifetime",
      "compares record IDs exactly",
      "dates the creation of a record with the storage clock and keeps that time",
      "expires records by the storage clock",
      "treats expired records as absent in every call",
      "puts a record on condition that none, any or a given version exists",
      "keeps owner and lifetime if a put is refused",
      "stores one of several concurrent puts over the same version",
      "stores every one of several concurrent unconditional puts",
      "loses no update when stale puts are retried",
      "decides a conditional put after a concurrent transaction ends",
      "gives a record a new, never reused version with every write and claim",
      "keeps the first version of a record until the record ends",
      "applies the same conditions to repeated puts in a transaction",
      "takes a record once, and keeps it on reads",
      "lists complete records, also in a transaction",
      "stores records within a quota like any others",
      "returns the record with the number of its claims and its age",
      "refuses to settle a claim after a newer one",
      "refuses to settle a claim after its record is put or removed",
      "replaces the value of a claimed record and keeps its version and lease",
      "replaces the value and the due time of a claimed record, or the due time only",
      "returns the age of a record since its creation",
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
    "checks for a record before it takes it",
    [
      "gives a record to one of several concurrent takes",
      "either takes or removes a record in concurrent calls",
      "takes a record if a concurrent transaction that took it rolls back",
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

  brokenRecords("takes all records of an owner with one of them", ["takes only the given record"], (records) => ({
    take: async (kind, id) => {
      const [record] = await records.get(kind, [id]);
      const value = await records.take(kind, id);
      if (typeof record?.owner === "string") await records.remove(kind, { owner: record.owner });
      return value as never;
    },
  })),

  brokenRecordStore(
    "keeps a rolled-back take",
    [
      "commits or rolls back all record writes of a transaction",
      "rolls back record writes with their nested transaction",
      "takes a record if a concurrent transaction that took it rolls back",
      "frees a quota when a record is taken, removed, settled or expired",
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
    ["keeps the records of different kinds separate", "removes all records of an owner in one kind"],
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
      "replaces a record with its value, owner and lifetime",
      "commits or rolls back all record writes of a transaction",
      "removes all records of an owner in one kind",
      "lists the records of an owner page by page",
    ],
    (records) => ({
      put: (kind, id, value, options) =>
        records.put(kind, id, value, { ...options, owner: options?.owner ?? "user:1" }),
    }),
  ),

  brokenRecords(
    "removes only the first hundred records of an owner",
    ["removes all records of an owner in one kind"],
    (records) => ({
      remove: async (kind, selector) => {
        if ("ids" in selector) return records.remove(kind, selector);
        const part = await records.list(kind, { owner: selector.owner, after: null, limit: 100 });
        return records.remove(kind, { ids: part.map(({ id }) => id) });
      },
    }),
  ),

  brokenRecords(
    "returns all given IDs as removed",
    [
      "returns nothing for records that were never put",
      "treats unstorable IDs and owners as absent in reads and removals",
      "treats expired records as absent in every call",
      "either takes or removes a record in concurrent calls",
      "removes records by ID and returns each removed ID once",
      "removes each record in one of several concurrent calls",
      "removes the records that the same transaction has put",
    ],
    (records) => ({
      remove: async (kind, selector) => {
        const removed = await records.remove(kind, selector);
        return "ids" in selector ? [...new Set(selector.ids)] : removed;
      },
    }),
  ),

  brokenRecords(
    "returns a removed ID repeatedly",
    ["removes records by ID and returns each removed ID once"],
    (records) => ({
      remove: async (kind, selector) => {
        const removed = await records.remove(kind, selector);
        return "ids" in selector ? selector.ids.filter((id) => removed.includes(id)) : removed;
      },
    }),
  ),

  brokenRecords(
    "checks for records before it removes them",
    ["either takes or removes a record in concurrent calls", "removes each record in one of several concurrent calls"],
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

  brokenRecords(
    "lists records by UTF-16 code units",
    ["lists records page by page in code point order of their IDs"],
    (records) => ({
      list: async (kind, { owner, after, limit }) =>
        (await all(records, kind, owner))
          .toSorted((one, other) => (one.id < other.id ? -1 : 1))
          .filter(({ id }) => after === null || id > after)
          .slice(0, limit) as never,
    }),
  ),

  brokenRecords(
    "lists records by locale",
    [
      "removes all records of an owner in one kind",
      "lists records page by page in code point order of their IDs",
      "lists the records of an owner page by page",
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
    "includes the given position in a list",
    [
      "lists records page by page in code point order of their IDs",
      "lists the records of an owner page by page",
      "lists complete records, also in a transaction",
    ],
    (records) => ({
      list: async (kind, selection) => {
        const listed = await records.list(kind, selection);
        const again = selection.after === null ? [] : await records.get(kind, [selection.after]);
        return [...again, ...listed].slice(0, selection.limit) as never;
      },
    }),
  ),

  brokenRecords(
    "filters a page of all records by owner",
    ["lists the records of an owner page by page"],
    (records) => ({
      list: async (kind, { owner, ...selection }) =>
        (await records.list(kind, selection)).filter(
          (record) => owner === undefined || record.owner === owner,
        ) as never,
    }),
  ),

  brokenRecords(
    "lists a hundred records beyond the limit",
    [
      "lists records page by page in code point order of their IDs",
      "lists the records of an owner page by page",
      "lists complete records, also in a transaction",
    ],
    (records) => ({
      list: (kind, selection) => records.list(kind, { ...selection, limit: selection.limit + 100 }),
    }),
  ),

  brokenRecords(
    "returns the age of the latest record",
    ["returns the number of records and the age of the oldest one", "excludes expired records from the count"],
    (records) => ({
      count: async (kind) => ({ ...(await records.count(kind)), oldest: 0 }),
    }),
  ),

  brokenRecords(
    "counts records of all kinds",
    ["returns the number of records and the age of the oldest one"],
    (records) => ({
      count: async (kind) => {
        const [own, other] = [await records.count(kind), await records.count(kind === "mail" ? "sample" : "mail")];
        return { count: own.count + other.count, oldest: own.oldest };
      },
    }),
  ),

  brokenRecordStore(
    "counts expired records",
    [
      "replaces a record with its value, owner and lifetime",
      "treats expired records as absent in every call",
      "returns the number of records and the age of the oldest one",
      "excludes expired records from the count",
      "applies no quota to records that are put without one",
      "counts the writes of a transaction towards a quota",
      "settles a claim as done once",
      "settles an expired claim if there is no newer one",
      "refuses to settle a claim of an expired record, and does not extend its lifetime",
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
