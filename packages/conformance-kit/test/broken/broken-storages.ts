import {
  type Attempt,
  type AttributeIndex,
  type ClassDefinition,
  type Repositories,
  ServiceError,
  type Storage,
} from "@sallyport/core";
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

/** Faults in the storage itself: life, transactions and clock. */
export const brokenStorages: readonly BrokenAdapter[] = [
  brokenAround("migrates itself on first use", "answers 705 to every call until it is migrated", (storage) => {
    void storage.migrate();
    return {};
  }),

  brokenAround("reports every migration every time", "applies every migration once, by name", (storage) => ({
    migrate: async (classes) => {
      await storage.migrate(classes);
      return { applied: ["initial"] };
    },
  })),

  brokenAround(
    "reports a migration twice when asked twice at once",
    "applies every migration once when it is asked twice at once",
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

  brokenAround(
    "has no classes but its own",
    "gives a new database the classes that it is migrated with, and no other",
    (storage) => ({ migrate: () => storage.migrate() }),
  ),

  brokenAround("goes on after it is closed", "answers 706 to every call after it is closed", () => ({
    close: async () => {},
  })),

  brokenAround("is closed once only", "can be closed twice, one after the other and at once", (storage) => {
    let closed = false;
    return {
      close: async () => {
        if (closed) throw new ServiceError(706);
        closed = true;
        await storage.close();
      },
    };
  }),

  brokenAround("does not wait for what runs", "lets what runs come to its end before it is closed", (storage) => ({
    close: async () => void storage.close(),
  })),

  brokenAround(
    "is healthy without being migrated",
    "works once it is migrated, also for those who were refused before",
    (storage) => ({
      repositories: new Proxy(storage.repositories, {
        get: (r, name) => (name === "sessions" ? { count: async () => 0 } : Reflect.get(r, name)),
      }),
    }),
  ),

  brokenAround(
    "works without transactions",
    [
      "keep nothing of their work if it throws",
      "do not show their work to others before it is kept",
      "is held by one transaction at a time, which sees what those before it have left",
      "is not changed by anybody else while a transaction holds it",
      "keeps writers waiting while a transaction holds it",
      "waits to be held for those who write",
    ],
    (storage) => ({ transaction: async (work) => work(storage.repositories, unguarded) }),
  ),

  brokenAround("keeps the work of a transaction that fails", "keep nothing of their work if it throws", (storage) => ({
    transaction: async <T>(work: (r: Repositories, attempt: Attempt) => Promise<T>) => {
      const outcome = await storage.transaction((r, attempt) => Promise.allSettled([work(r, attempt)]));
      if (outcome[0].status === "rejected") throw outcome[0].reason;
      return outcome[0].value;
    },
  })),

  brokenAround(
    "shows the work of an open transaction to everybody",
    "do not show their work to others before it is kept",
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
    "keeps what is asked for together one by one",
    [
      "are undone when one is refused, whichever it is",
      "are undone also when the work does not mind the refusal",
      "keep a limit exactly when many come at once, and leave nothing behind of the others",
    ],
    (storage) => ({ batch: async (work) => work(storage.repositories) }),
  ),

  brokenAround(
    "takes what is asked for together for any transaction",
    ["are undone also when the work does not mind the refusal", "are not asked for later"],
    (storage) => ({ batch: (work) => storage.transaction(work) }),
  ),

  brokenAround("keeps the answers of calls together to itself", "are all kept, and each answers", (storage) => ({
    batch: async (work) => {
      await storage.batch(work);
      return [] as never;
    },
  })),

  brokenAround(
    "wraps the error of work with calls together",
    "leave the error of the work unchanged, and nothing else",
    (storage) => ({
      batch: (work) =>
        storage.batch(work).catch((cause: unknown) => {
          throw new ServiceError(799, { cause });
        }),
    }),
  ),

  brokenAround("wraps the error of the work", "let the error of their work out unchanged", (storage) => ({
    transaction: async (work) => {
      try {
        return await storage.transaction(work);
      } catch (cause) {
        throw new ServiceError(799, { cause });
      }
    },
  })),

  brokenAround(
    "throws at once what the work throws at once",
    "let the error of their work out unchanged",
    (storage) => ({
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
    }),
  ),

  brokenAround(
    "keeps the work and runs it again",
    "that block one another are run again, without doing anything twice",
    (storage) => ({
      transaction: async (work) => {
        await storage.transaction(work);
        return storage.transaction(work);
      },
    }),
  ),

  brokenAround(
    "loses a connection with every transaction that fails",
    "leave nothing behind for those that follow, however many fail",
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
    "has every index at any time",
    ["are ready once they are aligned", "are told apart by class, attribute and type"],
    () => ({
      readyIndexes: async (indexes) => [...indexes],
    }),
  ),

  brokenAround("never takes an index away", "are taken away when they are not wanted any more", (storage) => {
    const all: AttributeIndex[] = [];
    return {
      alignIndexes: (wanted) => {
        all.push(...wanted);
        return storage.alignIndexes(all);
      },
    };
  }),

  brokenAround("takes an index away that is there", "stay when they are wanted again", (storage) => ({
    alignIndexes: async (wanted) => {
      const ready = new Set(await storage.readyIndexes(wanted));
      return storage.alignIndexes(wanted.filter((index) => !ready.has(index)));
    },
  })),

  brokenAround("builds one index at a time", "are ready once they are aligned", (storage) => ({
    alignIndexes: (wanted) => storage.alignIndexes(wanted.slice(0, 1)),
  })),

  brokenAround("tells the process's time", "moves with the offset of the clock", () => ({
    now: async () => Date.now(),
  })),

  {
    fault: "judges everything by the process's clock",
    caughtBy: [
      "live as long as their idle time-out without a request",
      "are swept away when they are expired, no more than asked for",
      "of the storage alone decides what is expired",
      "is the same for everything that is stored",
      "dates events by the storage's clock",
    ],
    create: ({ clockOffset }) => brokenStorage(new MemoryStorage(), { now: async () => Date.now() + clockOffset() }),
  },

  brokenAround("is never healthy", "is healthy when it is migrated", () => ({
    health: async () => {
      throw new ServiceError(704);
    },
  })),

  brokenAround("brings demonstration data", "starts without objects, sessions and audit", (storage) => ({
    migrate: async (classes) => {
      const report = await storage.migrate(classes);
      await storage.repositories.objects.insert([{ className: "User", attributes: { Name: "demo" } }]);
      return report;
    },
  })),

  {
    fault: "begins anew with every migration",
    caughtBy: ["keeps what is there when it is migrated again", "is not reset by another migration"],
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

  brokenAround("tells seconds", "is told in milliseconds since 1970 and never runs backwards", (storage) => ({
    now: async () => Math.floor((await storage.now()) / 1_000),
  })),

  brokenAround("runs backwards", "is told in milliseconds since 1970 and never runs backwards", () => {
    let now = Date.now();
    return { now: async () => (now -= 1) };
  }),

  brokenAround("does not offer everything inside of transactions", "offer every call", (storage) => ({
    transaction: (work) =>
      storage.transaction((r, attempt) =>
        work(
          withFault(r, () => ({ settings: { setMaintenance: () => Promise.reject(new ServiceError(799)) } })),
          attempt,
        ),
      ),
  })),

  brokenAround(
    "keeps the result of the work to itself",
    ["can do nothing", "keep all of their work and hand on its result"],
    (storage) => ({
      transaction: async (work) => {
        await storage.transaction(work);
        return undefined as never;
      },
    }),
  ),
];
