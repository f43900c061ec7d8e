import { Readable } from "node:stream";
import { type ArchiveRecord, inChunks, type Repositories, ServiceError, type Storage } from "@sallyport/storage";
import { MemoryStorage } from "@sallyport/storage-memory";
import { type BrokenAdapter, brokenStorage, pause, unguarded } from "./broken-adapter.ts";

function brokenAround(
  fault: string,
  caughtBy: readonly string[],
  replaced: (storage: MemoryStorage) => Partial<Storage>,
): BrokenAdapter {
  const create: BrokenAdapter["create"] = (options) => {
    const storage = new MemoryStorage(options);
    return brokenStorage(storage, replaced(storage));
  };
  return { fault, caughtBy, create };
}

type Deletion = Repositories["deletion"];

/** The records of an export, one by one. */
async function* recordsOf({ archive }: Storage): AsyncGenerator<ArchiveRecord> {
  for await (const part of archive.export()) yield* part;
}

/** Faults of engines: of transactions, connections and the clock. The reference has no such code. */
export const brokenEngines: readonly BrokenAdapter[] = [
  brokenAround(
    "ignores transactions",
    [
      "rolls back all writes if the work throws",
      "hides the writes of an open transaction from others",
      "locks the model for one transaction at a time, with the latest state",
      "blocks model changes of others while a transaction locks the model",
      "blocks writers while a transaction locks the model",
      "waits for running writers before it locks the model",
      "gives the first write of a transaction a stamp above all watermarks of other processes",
      "hides uncommitted writes from other processes",
    ],
    (storage) => ({ transaction: async (work) => work(storage.repositories, unguarded) }),
  ),

  brokenAround(
    "shows the writes of an open transaction",
    [
      "hides the writes of an open transaction from others",
      "gives a follower every change once during writes by several processes",
    ],
    (storage) => {
      let open: Repositories | undefined;
      return {
        repositories: new Proxy(storage.repositories, {
          get: (closed, name) => Reflect.get(open ?? closed, name) as unknown,
        }),
        transaction: (work) =>
          storage.transaction(async (r, attempt) => {
            open = r;
            try {
              return await work(r, attempt);
            } finally {
              open = undefined;
            }
          }),
      };
    },
  ),

  brokenAround(
    "commits the work and runs it again",
    [
      "retries deadlocked transactions without duplicate effects",
      "serializes a deletion with a restore that links to its target, across processes",
    ],
    (storage) => ({
      transaction: async (work) => {
        await storage.transaction(work);
        return storage.transaction(work);
      },
    }),
  ),

  brokenAround(
    "leaks a connection with every failed transaction",
    ["leaves no effects on later transactions after many failures"],
    (storage) => {
      let free = 10;
      return {
        transaction: async (work) => {
          if (free === 0) throw new ServiceError(607);
          free -= 1;
          const result = await storage.transaction(work);
          free += 1;
          return result;
        },
      };
    },
  ),

  brokenAround("wraps errors of the work", ["rethrows the error of the work unchanged"], (storage) => ({
    transaction: async (work) => {
      try {
        return await storage.transaction(work);
      } catch (cause) {
        throw new ServiceError(799, { cause });
      }
    },
  })),

  brokenAround(
    "wraps the errors of nested transactions",
    ["rethrows the errors of nested transactions unchanged", "rethrows the errors of calls unchanged"],
    (storage) => ({
      transaction: (work) =>
        storage.transaction((r, attempt) =>
          work(r, async (nested) => {
            try {
              return await attempt(nested);
            } catch (cause) {
              throw new ServiceError(799, { cause });
            }
          }),
        ),
    }),
  ),

  brokenAround(
    "allows no nested transaction after a rollback",
    ["rolls back each level of nested transactions separately"],
    (storage) => ({
      transaction: (work) =>
        storage.transaction((r, attempt) => {
          let failure: unknown;
          return work(r, async (nested) => {
            if (failure !== undefined) throw failure;
            try {
              return await attempt(nested);
            } catch (error) {
              failure = new ServiceError(799, { cause: error });
              throw error;
            }
          });
        }),
    }),
  ),

  brokenAround(
    "commits the calls of a batch one by one",
    [
      "rolls back a batch if any of its calls fails",
      "rolls back a batch with a failed call even if the work ignores the failure",
      "enforces a limit exactly across concurrent batches and rolls back refused ones",
    ],
    (storage) => ({ batch: async (work) => work(storage.repositories) }),
  ),

  brokenAround(
    "locks no rows",
    [
      "serializes a deletion with new references to its target",
      "deletes an object once in concurrent deletions",
      "serializes a deletion with new references to its target, across processes",
      "serializes a deletion with taking a lock, across processes",
      "deletes an object once in concurrent deletions, across processes",
    ],
    (storage) => {
      const { repositories: r } = storage;
      const turns = async (count: number) => {
        for (let turn = 0; turn < count; turn += 1) await pause();
      };
      // The data that a transaction has read is outdated when it acts, because others have written.
      const late = async <T>(call: Promise<T>): Promise<T> => {
        const answer = await call;
        await turns(5);
        return answer;
      };
      const deletion: Deletion = Object.assign(Object.create(r.deletion) as Deletion, {
        lock: (...asked: Parameters<Deletion["lock"]>) => late(r.deletion.lock(...asked)),
        referrers: (...asked: Parameters<Deletion["referrers"]>) => late(r.deletion.referrers(...asked)),
      });
      const objects: Repositories["objects"] = Object.assign(Object.create(r.objects) as Repositories["objects"], {
        insert: (...asked: Parameters<Repositories["objects"]["insert"]>) =>
          turns(8).then(() => r.objects.insert(...asked)),
        update: (...asked: Parameters<Repositories["objects"]["update"]>) =>
          turns(8).then(() => r.objects.update(...asked)),
      });
      return { repositories: { ...r, objects }, transaction: (work) => work({ ...r, deletion }, unguarded) };
    },
  ),

  brokenAround(
    "registers blocks one by one",
    ["accepts all blocks of a message or none", "accepts messages with shared blocks only as a whole, from one client"],
    (storage) => {
      const { channels } = storage.repositories;
      const registerBlocks: typeof channels.registerBlocks = async (message, limits) => {
        const verdicts = new Set<string>();
        for (const block of new Set(message.blocks)) {
          verdicts.add(await channels.registerBlocks({ ...message, blocks: [block] }, limits));
          await pause();
        }
        return verdicts.has("refused") ? "refused" : verdicts.has("again") ? "again" : "first";
      };
      return {
        repositories: { ...storage.repositories, channels: { ...channels, registerBlocks } },
      };
    },
  ),

  brokenAround(
    "marks a session as ended and ends it later",
    ["admits no ended session, starting with the next request"],
    (storage) => {
      const { sessions } = storage.repositories;
      const end: typeof sessions.end = async (selector) => {
        void pause()
          .then(() => sessions.end(selector))
          .catch(() => {});
        return 1;
      };
      return { repositories: { ...storage.repositories, sessions: { ...sessions, end } } };
    },
  ),

  brokenAround(
    "keeps a session count that ignores expiry",
    [
      "opens another session after one expires, swept or not",
      "enforces the limit exactly after all kinds of session changes",
    ],
    (storage) => {
      const { sessions } = storage.repositories;
      let count = 0;
      const open: typeof sessions.open = async (session, policy) => {
        if (policy.limit > 0 && count >= policy.limit) throw new ServiceError(315);
        count += 1;
        return sessions.open(session, { ...policy, limit: 0 });
      };
      const end: typeof sessions.end = async (selector) => {
        const ended = await sessions.end(selector);
        count -= ended;
        return ended;
      };
      return { repositories: { ...storage.repositories, sessions: { ...sessions, open, end } } };
    },
  ),

  brokenAround(
    "exports each section as of the moment it is reached",
    ["exports one consistent snapshot during concurrent writes", "excludes concurrent commits from an export"],
    (storage) => ({
      archive: {
        import: (records) => storage.archive.import(records),
        export: async function* () {
          for await (const record of recordsOf(storage)) {
            yield [record];
            break;
          }
          let isFirst = true;
          yield* inChunks(
            (async function* () {
              for await (const record of recordsOf(storage)) {
                if (!isFirst) yield record;
                isFirst = false;
              }
            })(),
          );
        },
      },
    }),
  ),

  brokenAround(
    "allows two concurrent imports",
    ["runs one import at a time", "runs one import at a time across processes and hides it until it is complete"],
    (storage) => ({
      archive: {
        export: () => storage.archive.export(),
        import: async (records) => {
          if (!(await storage.repositories.settings.isEmpty())) return "notEmpty";
          const all: ArchiveRecord[] = [];
          for await (const record of records) all.push(record);
          return storage.archive.import(Readable.from(all));
        },
      },
    }),
  ),

  brokenAround(
    "exports all data in one part",
    ["exports in non-empty, bounded parts of one section each"],
    (storage) => ({
      archive: {
        import: (records) => storage.archive.import(records),
        export: async function* () {
          const all: ArchiveRecord[] = [];
          for await (const record of recordsOf(storage)) all.push(record);
          yield all;
        },
      },
    }),
  ),

  brokenAround("returns decreasing times", ["returns milliseconds since 1970 that never decrease"], () => {
    let now = Date.now();
    return { now: async () => (now -= 1) };
  }),

  {
    fault: "uses the process clock for all expiry",
    caughtBy: [
      "keeps a session for its idle timeout without a request",
      "sweeps expired sessions up to the limit",
      "uses the storage clock only to decide what is expired",
      "uses the same clock for everything that is stored",
      "dates events with the storage clock",
    ],
    create: ({ clockOffset }) => brokenStorage(new MemoryStorage(), { now: async () => Date.now() + clockOffset() }),
  },
];
