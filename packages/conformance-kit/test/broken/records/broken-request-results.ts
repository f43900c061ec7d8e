import { MemoryStorage } from "@sallyport/storage-memory";
import { type BrokenAdapter, brokenStorage, unguarded, withFault } from "../broken-adapter.ts";
import { brokenRecords } from "./broken-record-store.ts";

type Put = () => Promise<unknown>;

const first = "executes one of several concurrent transactions with a key and tells the others its result";
const waiting = "makes a repetition wait for the first transaction";
const lost = "executes a repetition if the first transaction is rolled back";
const refusal = "keeps a refusal without the effect that it undoes";

/** Faults in the results of requests. */
export const brokenRequestResults: readonly BrokenAdapter[] = [
  brokenRecords("claims a key for every request", [first, waiting, refusal], (records) => ({
    putWithin: async (kind, id, value, options) => {
      await records.put(kind, id, value, options);
      return "stored";
    },
  })),

  brokenRecords("never replaces a claim by the result", [first, waiting, refusal], (records) => ({
    put: (kind, id, value, options) => records.put(kind, id, value, { ...options, ifVersion: "none" }),
  })),

  {
    fault: "keeps the claims of transactions that are rolled back",
    caughtBy: [lost],
    create: (options) => {
      const storage = new MemoryStorage(options);
      const { records: outside } = storage.repositories;
      return brokenStorage(storage, {
        transaction: async (work) => {
          const puts: Put[] = [];
          try {
            return await storage.transaction((r, attempt) => {
              const { records } = r;
              const noting = withFault(r, () => ({
                records: {
                  putWithin: (kind, id, value, given) => {
                    puts.push(() => outside.putWithin(kind, id, value, given));
                    return records.putWithin(kind, id, value, given);
                  },
                },
              }));
              return work(noting, attempt);
            });
          } catch (error) {
            for (const put of puts) await put();
            throw error;
          }
        },
      });
    },
  },

  {
    fault: "keeps the effect of a refused request",
    caughtBy: [refusal],
    create: (options) => {
      const storage = new MemoryStorage(options);
      return brokenStorage(storage, { transaction: (work) => storage.transaction((r) => work(r, unguarded)) });
    },
  },
];
