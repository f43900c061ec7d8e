import type { RecordRepository, RecordQuota } from "@sallyport/core";
import { type BrokenAdapter, pause } from "../broken-adapter.ts";
import { brokenRecords, brokenRecordStore } from "./broken-record-store.ts";

type Within = Parameters<RecordRepository["putWithin"]>[3];

/** Putting with other words than it was asked with, and everything else as it is. */
const changed =
  (change: (options: Within) => Within) =>
  (records: RecordRepository): Partial<RecordRepository> => ({
    putWithin: (kind, id, value, options) => records.putWithin(kind, id, value, change(options)),
  });

const inQuota = (change: (room: RecordQuota) => RecordQuota) =>
  changed((options) => ({ ...options, quota: change(options.quota) }));

/** Faults in the room of records. */
export const brokenRecordQuotas: readonly BrokenAdapter[] = [
  brokenRecords(
    "puts as many records as anybody asks for",
    [
      "is that of each owner and kind",
      "is that of all of a kind, too",
      "is used up by an owner before it is in all",
      "is for any number where it is not limited",
      "is that of owners with hostile and long names",
      "is that within a transaction, what it has put itself counted",
      "is free again when one is taken, removed, settled or over",
      "goes with a record to its next owner",
      "has its last place taken once of many puts at once",
      "is exact for many owners at once",
      "is not there while another's place is not given back",
    ],
    inQuota(() => ({ ofOwner: 0, inAll: 0 })),
  ),

  brokenRecords(
    "puts one record more than there is room for",
    [
      "is that of each owner and kind",
      "is that of all of a kind, too",
      "is used up by an owner before it is in all",
      "is for any number where it is not limited",
      "is that of owners with hostile and long names",
      "is that within a transaction, what it has put itself counted",
      "is free again when one is taken, removed, settled or over",
      "goes with a record to its next owner",
      "has its last place taken once of many puts at once",
      "is exact for many owners at once",
      "is not there while another's place is not given back",
    ],
    inQuota(({ ofOwner, inAll }) => ({ ofOwner: ofOwner && ofOwner + 1, inAll: inAll && inAll + 1 })),
  ),

  brokenRecords(
    "leaves the last place for records empty",
    [
      "is that of each owner and kind",
      "is that of all of a kind, too",
      "is used up by an owner before it is in all",
      "is for any number where it is not limited",
      "is that within a transaction, what it has put itself counted",
      "has its last place taken once of many puts at once",
      "is exact for many owners at once",
    ],
    inQuota(({ ofOwner, inAll }) => ({
      ofOwner: ofOwner && Math.max(1, ofOwner - 1),
      inAll: inAll && Math.max(1, inAll - 1),
    })),
  ),

  brokenRecords(
    "knows no room of an owner",
    [
      "is that of each owner and kind",
      "is used up by an owner before it is in all",
      "is for any number where it is not limited",
      "is that of owners with hostile and long names",
      "is that within a transaction, what it has put itself counted",
      "is free again when one is taken, removed, settled or over",
      "goes with a record to its next owner",
      "has its last place taken once of many puts at once",
      "is not there while another's place is not given back",
    ],
    inQuota((room) => ({ ...room, ofOwner: 0 })),
  ),

  brokenRecords(
    "knows no room in all",
    [
      "is that of all of a kind, too",
      "is used up by an owner before it is in all",
      "is for any number where it is not limited",
      "is that within a transaction, what it has put itself counted",
      "is free again when one is taken, removed, settled or over",
      "has its last place taken once of many puts at once",
      "is exact for many owners at once",
      "is not there while another's place is not given back",
    ],
    inQuota((room) => ({ ...room, inAll: 0 })),
  ),

  brokenRecords(
    "takes no limit of records for no room",
    [
      "are not put with a text that cannot be stored",
      "keep their owner and their end when they are not put",
      "have another version after every write and every claim, which none had before",
      "is for any number where it is not limited",
    ],
    (records) => ({
      putWithin: async (kind, id, value, options) =>
        options.quota.ofOwner === 0 && options.quota.inAll === 0 ? "full" : records.putWithin(kind, id, value, options),
    }),
  ),

  brokenRecords(
    "gives each owner the room of all",
    [
      "is that of all of a kind, too",
      "is used up by an owner before it is in all",
      "is for any number where it is not limited",
      "is that within a transaction, what it has put itself counted",
      "has its last place taken once of many puts at once",
      "is exact for many owners at once",
      "is not there while another's place is not given back",
    ],
    inQuota(({ ofOwner, inAll }) => ({ ofOwner: ofOwner || inAll, inAll: 0 })),
  ),

  brokenRecords(
    "gives all owners the room of one",
    [
      "are written by transactions as a whole, or not at all",
      "is that of each owner and kind",
      "is used up by an owner before it is in all",
      "is for any number where it is not limited",
      "is that of owners with hostile and long names",
      "goes with a record to its next owner",
      "has its last place taken once of many puts at once",
      "is exact for many owners at once",
    ],
    (records) => ({
      putWithin: async (kind, id, value, options) => {
        const { ofOwner, inAll } = options.quota;
        const quota = { ofOwner: 0, inAll: ofOwner || inAll };
        const outcome = await records.putWithin(kind, id, value, { ...options, quota });
        return outcome === "full" && ofOwner > 0 ? "ownerFull" : outcome;
      },
    }),
  ),

  brokenRecords(
    "says of an owner's room that it is full in all",
    [
      "is that of each owner and kind",
      "is used up by an owner before it is in all",
      "is for any number where it is not limited",
      "is that of owners with hostile and long names",
      "is that within a transaction, what it has put itself counted",
      "goes with a record to its next owner",
      "has its last place taken once of many puts at once",
      "is not there while another's place is not given back",
    ],
    (records) => ({
      putWithin: async (kind, id, value, options) => {
        const outcome = await records.putWithin(kind, id, value, options);
        return outcome === "ownerFull" ? "full" : outcome;
      },
    }),
  ),

  brokenRecords(
    "gives owners in any case one room",
    ["is that of each owner and kind"],
    changed((options) => ({ ...options, owner: options.owner.toLowerCase() })),
  ),

  brokenRecords(
    "gives owners one room that differ by a space",
    ["is that of each owner and kind"],
    changed((options) => ({ ...options, owner: options.owner.trim() })),
  ),

  brokenRecords(
    "keeps a record that it has refused",
    [
      "is that of each owner and kind",
      "is that of all of a kind, too",
      "is for any number where it is not limited",
      "is that within a transaction, what it has put itself counted",
      "is free again when one is taken, removed, settled or over",
      "has its last place taken once of many puts at once",
      "is exact for many owners at once",
    ],
    (records) => ({
      putWithin: async (kind, id, value, options) => {
        const outcome = await records.putWithin(kind, id, value, options);
        if (outcome !== "stored" && outcome !== "exists") await records.put(kind, id, value, options);
        return outcome;
      },
    }),
  ),

  brokenRecords(
    "takes an owner's records in the place of refusing one",
    [
      "is that of each owner and kind",
      "is that of all of a kind, too",
      "is used up by an owner before it is in all",
      "is for any number where it is not limited",
      "is that of owners with hostile and long names",
      "is that within a transaction, what it has put itself counted",
      "is free again when one is taken, removed, settled or over",
      "goes with a record to its next owner",
      "has its last place taken once of many puts at once",
      "is exact for many owners at once",
      "is not there while another's place is not given back",
    ],
    (records) => ({
      putWithin: async (kind, id, value, options) => {
        const outcome = await records.putWithin(kind, id, value, options);
        if (outcome === "stored" || outcome === "exists") return outcome;
        await records.remove(kind, { owner: options.owner });
        await records.put(kind, id, value, options);
        return "stored";
      },
    }),
  ),

  brokenRecords(
    "puts a record within room in the place of another",
    ["keep their owner and their end when they are not put", "is for records like any other"],
    (records) => ({
      putWithin: async (kind, id, value, options) => {
        await records.remove(kind, { ids: [id] });
        return records.putWithin(kind, id, value, options);
      },
    }),
  ),

  brokenRecords(
    "puts records within room of what can be stored of an owner",
    ["are not put with a text that cannot be stored"],
    changed((options) => ({ ...options, owner: options.owner.replaceAll(/[\0\p{Surrogate}]/gu, "") })),
  ),

  brokenRecords(
    "keeps for ever what is put within room",
    ["is free again when one is taken, removed, settled or over"],
    changed((options) => ({ ...options, lifetime: null })),
  ),

  brokenRecordStore(
    "counts all records that it has ever put within room",
    [
      "is for any number where it is not limited",
      "is that within a transaction, what it has put itself counted",
      "is free again when one is taken, removed, settled or over",
      "goes with a record to its next owner",
      "is not there while another's place is not given back",
    ],
    () => {
      const given: { readonly kind: string; readonly owner: string }[] = [];
      return (records) => ({
        putWithin: async (kind, id, value, options) => {
          const { ofOwner, inAll } = options.quota;
          const ofKind = given.filter((one) => one.kind === kind);
          if (ofOwner > 0 && ofKind.filter(({ owner }) => owner === options.owner).length >= ofOwner)
            return "ownerFull";
          if (inAll > 0 && ofKind.length >= inAll) return "full";
          given.push({ kind, owner: options.owner });
          return records.putWithin(kind, id, value, { ...options, quota: { ofOwner: 0, inAll: 0 } });
        },
      });
    },
  ),

  brokenRecords(
    "counts the room for records, then takes it",
    [
      "has its last place taken once of many puts at once",
      "is exact for many owners at once",
      "is not there while another's place is not given back",
    ],
    (records) => ({
      putWithin: async (kind, id, value, options) => {
        const { ofOwner, inAll } = options.quota;
        const all = await records.list(kind, { after: null, limit: 10_000 });
        await pause();
        if (ofOwner > 0 && all.filter(({ owner }) => owner === options.owner).length >= ofOwner) return "ownerFull";
        if (inAll > 0 && all.length >= inAll) return "full";
        return records.putWithin(kind, id, value, { ...options, quota: { ofOwner: 0, inAll: 0 } });
      },
    }),
  ),

  brokenRecords(
    "counts the room of an owner exactly, and that in all later",
    [
      "has its last place taken once of many puts at once",
      "is exact for many owners at once",
      "is not there while another's place is not given back",
    ],
    (records) => ({
      putWithin: async (kind, id, value, options) => {
        const { ofOwner, inAll } = options.quota;
        const { count } = await records.count(kind);
        await pause();
        const outcome = await records.putWithin(kind, id, value, { ...options, quota: { ofOwner, inAll: 0 } });
        if (outcome !== "stored" || inAll === 0 || count < inAll) return outcome;
        await records.take(kind, id);
        return "full";
      },
    }),
  ),

  brokenRecords(
    "puts a record within room for whichever of two comes last",
    ["is given once of many puts at once with the same id"],
    (records) => ({
      putWithin: async (kind, id, value, options) => {
        if ((await records.get(kind, [id])).length > 0) return "exists";
        await pause();
        await records.remove(kind, { ids: [id] });
        return records.putWithin(kind, id, value, options);
      },
    }),
  ),
];
