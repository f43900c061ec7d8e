import {
  type Attempt,
  type AttributeIndex,
  type ClassDefinition,
  type Repositories,
  ServiceError,
  type Storage,
} from "@sallyport/storage";
import { MemoryStorage } from "@sallyport/storage-memory";
import { type BrokenAdapter, brokenStorage, unguarded, withFault } from "./broken-adapter.ts";

function brokenAround(
  fault: string,
  caughtBy: string | readonly string[],
  replaced: (storage: Storage) => Partial<Storage>,
): BrokenAdapter {
  const create: BrokenAdapter["create"] = (options) => {
    const storage = new MemoryStorage(options);
    return brokenStorage(storage, replaced(storage));
  };
  return { fault, caughtBy: [caughtBy].flat(), create };
}

/** Faults in the storage itself: lifecycle, transactions and clock. */
export const brokenStorages: readonly BrokenAdapter[] = [
  brokenAround("migrates on first use", "answers 705 to every call until it is migrated", (storage) => {
    void storage.migrate();
    return {};
  }),

  brokenAround(
    "returns every migration on every call",
    "applies every migration once and returns its name",
    (storage) => ({
      migrate: async (classes) => {
        await storage.migrate(classes);
        return { applied: ["initial"] };
      },
    }),
  ),

  brokenAround(
    "returns a migration twice for concurrent calls",
    "applies every migration once in concurrent calls",
    (storage) => {
      let done = false;
      return {
        migrate: async (classes) => {
          const applied = done ? [] : ["initial"];
          await storage.migrate(classes);
          done = true;
          return { applied };
        },
      };
    },
  ),

  brokenAround("creates only its own classes", "creates exactly the given classes in a new database", (storage) => ({
    migrate: () => storage.migrate(),
  })),

  brokenAround("works after close", "answers 706 to every call after it is closed", () => ({
    close: async () => {},
  })),

  brokenAround("closes only once", "accepts repeated calls of close, sequential and concurrent", (storage) => {
    let closed = false;
    return {
      close: async () => {
        if (closed) throw new ServiceError(706);
        closed = true;
        await storage.close();
      },
    };
  }),

  brokenAround("does not wait for running work", "completes running work before it closes", (storage) => ({
    close: async () => void storage.close(),
  })),

  brokenAround(
    "is healthy without a migration",
    "works after the migration, also for callers that were refused before",
    (storage) => ({
      repositories: new Proxy(storage.repositories, {
        get: (r, name) => (name === "sessions" ? { count: async () => 0 } : Reflect.get(r, name)),
      }),
    }),
  ),

  brokenAround(
    "ignores transactions",
    [
      "rolls back all writes if the work throws",
      "hides the writes of an open transaction from others",
      "locks the model for one transaction at a time, with the latest state",
      "blocks model changes of others while a transaction locks the model",
      "blocks writers while a transaction locks the model",
      "waits for running writers before it locks the model",
    ],
    (storage) => ({ transaction: async (work) => work(storage.repositories, unguarded) }),
  ),

  brokenAround("commits failed transactions", "rolls back all writes if the work throws", (storage) => ({
    transaction: async <T>(work: (r: Repositories, attempt: Attempt) => Promise<T>) => {
      const outcome = await storage.transaction((r, attempt) => Promise.allSettled([work(r, attempt)]));
      if (outcome[0].status === "rejected") throw outcome[0].reason;
      return outcome[0].value;
    },
  })),

  brokenAround(
    "shows the writes of an open transaction",
    "hides the writes of an open transaction from others",
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
    "commits the calls of a batch one by one",
    [
      "rolls back a batch if any of its calls fails",
      "rolls back a batch with a failed call even if the work ignores the failure",
      "enforces a limit exactly across concurrent batches and rolls back refused ones",
    ],
    (storage) => ({ batch: async (work) => work(storage.repositories) }),
  ),

  brokenAround(
    "runs batch calls in any transaction",
    [
      "rolls back a batch with a failed call even if the work ignores the failure",
      "refuses batch calls after the first answer",
    ],
    (storage) => ({ batch: (work) => storage.transaction(work) }),
  ),

  brokenAround("drops the answers of batch calls", "commits all calls of a batch and answers each", (storage) => ({
    batch: async (work) => {
      await storage.batch(work);
      return [] as never;
    },
  })),

  brokenAround(
    "wraps errors of batch work",
    "rethrows an error of batch work unchanged and writes nothing",
    (storage) => ({
      batch: (work) =>
        storage.batch(work).catch((cause: unknown) => {
          throw new ServiceError(799, { cause });
        }),
    }),
  ),

  brokenAround("wraps errors of the work", "rethrows the error of the work unchanged", (storage) => ({
    transaction: async (work) => {
      try {
        return await storage.transaction(work);
      } catch (cause) {
        throw new ServiceError(799, { cause });
      }
    },
  })),

  brokenAround("throws errors of the work synchronously", "rethrows the error of the work unchanged", (storage) => ({
    transaction: (work) => {
      let thrown: unknown;
      const running = storage.transaction((r, attempt) => {
        try {
          return work(r, attempt);
        } catch (error) {
          thrown = error;
          throw error;
        }
      });
      return running.catch(() => {
        throw thrown ?? new Error("failed");
      });
    },
  })),

  brokenAround(
    "commits the work and runs it again",
    "retries deadlocked transactions without duplicate effects",
    (storage) => ({
      transaction: async (work) => {
        await storage.transaction(work);
        return storage.transaction(work);
      },
    }),
  ),

  brokenAround(
    "leaks a connection with every failed transaction",
    "leaves no effects on later transactions after many failures",
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

  brokenAround(
    "reports every index as ready",
    ["makes indexes ready by aligning them", "distinguishes indexes by class, attribute and type"],
    () => ({
      readyIndexes: async (indexes) => [...indexes],
    }),
  ),

  brokenAround("never drops an index", "drops unwanted indexes", (storage) => {
    const all: AttributeIndex[] = [];
    return {
      alignIndexes: (wanted) => {
        all.push(...wanted);
        return storage.alignIndexes(all);
      },
    };
  }),

  brokenAround("drops a wanted index", "keeps wanted indexes", (storage) => ({
    alignIndexes: async (wanted) => {
      const ready = new Set(await storage.readyIndexes(wanted));
      return storage.alignIndexes(wanted.filter((index) => !ready.has(index)));
    },
  })),

  brokenAround("builds one index per call", "makes indexes ready by aligning them", (storage) => ({
    alignIndexes: (wanted) => storage.alignIndexes(wanted.slice(0, 1)),
  })),

  brokenAround("returns the time of the process", "moves with the offset of the clock", () => ({
    now: async () => Date.now(),
  })),

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

  brokenAround("is never healthy", "is healthy after the migration", () => ({
    health: async () => {
      throw new ServiceError(704);
    },
  })),

  brokenAround("creates demonstration data", "starts without objects, sessions and audit events", (storage) => ({
    migrate: async (classes) => {
      const report = await storage.migrate(classes);
      await storage.repositories.objects.insert([{ className: "User", attributes: { Name: "demo" } }]);
      return report;
    },
  })),

  {
    fault: "resets the data with every migration",
    caughtBy: ["keeps existing data in a repeated migration", "keeps the model in a repeated migration"],
    create: (options) => {
      let storage = new MemoryStorage(options);
      const migrate = async (classes?: readonly ClassDefinition[]) => {
        const report = await storage.migrate(classes);
        if (report.applied.length > 0) return report;
        storage = new MemoryStorage(options);
        await storage.migrate(classes);
        return report;
      };
      const repositories = new Proxy(storage.repositories, {
        get: (_first, name) => Reflect.get(storage.repositories, name),
      });
      return brokenStorage(storage, { migrate, repositories });
    },
  },

  brokenAround("returns seconds", "returns milliseconds since 1970 that never decrease", (storage) => ({
    now: async () => Math.floor((await storage.now()) / 1_000),
  })),

  brokenAround("returns decreasing times", "returns milliseconds since 1970 that never decrease", () => {
    let now = Date.now();
    return { now: async () => (now -= 1) };
  }),

  brokenAround("lacks calls inside transactions", "offers every call inside a transaction", (storage) => ({
    transaction: (work) =>
      storage.transaction((r, attempt) =>
        work(
          withFault(r, () => ({ settings: { setMaintenance: () => Promise.reject(new ServiceError(799)) } })),
          attempt,
        ),
      ),
  })),

  brokenAround(
    "drops the result of the work",
    ["accepts work without calls", "commits all writes and returns the result of the work"],
    (storage) => ({
      transaction: async (work) => {
        await storage.transaction(work);
        return undefined as never;
      },
    }),
  ),
];
