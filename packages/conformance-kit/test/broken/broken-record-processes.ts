import type { RecordValue } from "@sallyport/storage";
import { brokenMemory, type BrokenProcesses, privately } from "./broken-processes.ts";

/** Records of several processes that each keep a private state. */
export const brokenRecordProcesses: readonly BrokenProcesses[] = [
  brokenMemory(
    "counts only its own records of a kind towards a quota",
    "shares quotas, claims and settlements across processes",
    () => {
      const own = privately();
      return (r) => ({
        records: {
          putWithin: async (kind, id, value, options) => {
            const outcome = await own.records.putWithin(kind, id, value, options);
            return outcome === "stored"
              ? r.records.putWithin(kind, id, value, { ...options, quota: { perOwner: 0, total: 0 } })
              : outcome;
          },
        },
      });
    },
  ),

  brokenMemory(
    "keeps record claims private to its process",
    "shares quotas, claims and settlements across processes",
    () => {
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
    },
  ),

  brokenMemory("caches records", "takes a record once and replaces a version once across processes", () => {
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
  }),

  brokenMemory(
    "knows only the versions of its own records",
    "takes a record once and replaces a version once across processes",
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
    "counts only its own records towards a quota",
    "enforces a record quota exactly across processes",
    () => {
      const owners: string[] = [];
      return (r) => ({
        records: {
          putWithin: async (kind, id, value, options) => {
            const { owner, quota } = options;
            if (owners.filter((each) => each === owner).length >= quota.perOwner) return "ownerFull";
            if (owners.length >= quota.total) return "full";
            owners.push(owner);
            return r.records.putWithin(kind, id, value, { ...options, quota: { perOwner: 0, total: 0 } });
          },
        },
      });
    },
  ),
];
