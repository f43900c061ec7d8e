import type { RecordValue } from "@sallyport/core";
import { brokenMemory, type BrokenProcesses, privately } from "../broken-processes.ts";

/** Records of several processes, of which each knows something that the others do not. */
export const brokenRecordProcesses: readonly BrokenProcesses[] = [
  brokenMemory("has room for the records that it has put itself", "are one for several processes", () => {
    const own = privately();
    return (r) => ({
      records: {
        putWithin: async (kind, id, value, options) => {
          const outcome = await own.records.putWithin(kind, id, value, options);
          return outcome === "stored"
            ? r.records.putWithin(kind, id, value, { ...options, quota: { ofOwner: 0, inAll: 0 } })
            : outcome;
        },
      },
    });
  }),

  brokenMemory("keeps the claims of records to itself", "are one for several processes", () => {
    const own = new Set<string>();
    return (r) => ({
      records: {
        claim: async (kind, limit) => {
          const due = (await r.records.claim(kind, 1_000, 0)).filter(({ id }) => !own.has(id)).slice(0, limit);
          for (const { id } of due) own.add(id);
          return due as never;
        },
      },
    });
  }),

  brokenMemory(
    "remembers records that it has read",
    "take a record once, and put it once in the place of a version, together",
    () => {
      const known = new Map<string, RecordValue>();
      return (r) => ({
        records: {
          get: async (kind, ids) => {
            const found = await r.records.get(kind, ids);
            for (const { id, value } of found) known.set(id, value as RecordValue);
            return found as never;
          },
          take: async (kind, id) => {
            const value = known.get(id) ?? (await r.records.take(kind, id));
            known.delete(id);
            return value as never;
          },
        },
      });
    },
  ),

  brokenMemory(
    "knows the versions of the records that it has put itself",
    "take a record once, and put it once in the place of a version, together",
    () => {
      const own = new Map<string, number>();
      return (r) => ({
        records: {
          put: async (kind, id, value, options = {}) => {
            const { ifVersion } = options;
            if (typeof ifVersion === "number" && (own.get(id) ?? ifVersion) !== ifVersion) return "stale";
            const [first] = await r.records.get(kind, [id]);
            own.set(id, first?.version ?? 0);
            return r.records.put(kind, id, value, { ...options, ifVersion: "any" });
          },
        },
      });
    },
  ),

  brokenMemory(
    "counts the records that it has put within room itself",
    "keep the room of records exactly, together",
    () => {
      const owners: string[] = [];
      return (r) => ({
        records: {
          putWithin: async (kind, id, value, options) => {
            const { owner, quota } = options;
            if (owners.filter((each) => each === owner).length >= quota.ofOwner) return "ownerFull";
            if (owners.length >= quota.inAll) return "full";
            owners.push(owner);
            return r.records.putWithin(kind, id, value, { ...options, quota: { ofOwner: 0, inAll: 0 } });
          },
        },
      });
    },
  ),
];
