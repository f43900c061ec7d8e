import {
  type Attempt,
  objectIdOf,
  type Repositories,
  ServiceError,
  type Storage,
  type StoredObject,
} from "@sallyport/storage";
import { MemoryStorage } from "@sallyport/storage-memory";
import { type BrokenAdapter, brokenStorage, unguarded, withFault, withFeed } from "./broken-adapter.ts";

/** A memory storage with other nested transactions. */
function brokenParts(
  fault: string,
  caughtBy: readonly string[],
  partsOf: (attempt: Attempt, r: Repositories) => Attempt,
): BrokenAdapter {
  const create: BrokenAdapter["create"] = (options) => {
    const storage = new MemoryStorage(options);
    return brokenStorage(storage, {
      transaction: (work) => storage.transaction((r, attempt) => work(r, partsOf(attempt, r))),
    });
  };
  return { fault, caughtBy, create };
}

const undone = "rolls back a nested transaction that throws and continues the outer one";
const nested = "rolls back each level of nested transactions separately";
const refused = "rolls back a nested transaction if any of its calls is refused";
const later = "rolls back committed nested transactions if the outer one fails";
const told = "reports the changes of committed nested transactions once";
const numbered = "never reuses the ID of a rolled-back object";

/** Faults in nested transactions. */
export const brokenPartAdapters: readonly BrokenAdapter[] = [
  brokenParts("ignores nested transactions", [undone, nested, refused], () => unguarded),

  brokenParts("does not roll back nested transactions inside others", [nested], (attempt) => {
    let depth = 0;
    return async (nested) => {
      depth += 1;
      try {
        return await (depth > 1 ? unguarded(nested) : attempt(nested));
      } finally {
        depth -= 1;
      }
    };
  }),

  brokenParts("allows no nested transaction after a rollback", [nested, refused], (attempt) => {
    let failure: unknown;
    return async (nested) => {
      if (failure !== undefined) throw failure;
      try {
        return await attempt(nested);
      } catch (error) {
        failure = new ServiceError(799, { cause: error });
        throw error;
      }
    };
  }),

  brokenParts(
    "keeps the writes of a nested transaction before a refused call",
    [refused],
    (attempt) =>
      async <T>(nested: () => Promise<T>) => {
        const outcome = await attempt<{ result: T } | { error: ServiceError }>(async () => {
          try {
            return { result: await nested() };
          } catch (error) {
            if (error instanceof ServiceError) return { error };
            throw error;
          }
        });
        if ("error" in outcome) throw outcome.error;
        return outcome.result;
      },
  ),

  brokenParts(
    "wraps the errors of nested transactions",
    ["rethrows the errors of nested transactions unchanged", "rethrows the errors of calls unchanged"],
    (attempt) => async (nested) => {
      try {
        return await attempt(nested);
      } catch (cause) {
        throw new ServiceError(799, { cause });
      }
    },
  ),

  brokenParts(
    "throws errors of nested transactions synchronously",
    ["rethrows the errors of nested transactions unchanged"],
    (attempt) => (nested) => {
      const begun = nested();
      return attempt(() => begun);
    },
  ),

  brokenParts(
    "drops the results of nested transactions",
    ["commits a nested transaction with the outer one and returns its result", "accepts an empty nested transaction"],
    (attempt) => async (nested) => {
      await attempt(nested);
      return undefined as never;
    },
  ),

  {
    fault: "keeps nested transactions of a failed transaction",
    caughtBy: [later, "hides the writes of a nested transaction from others until the outer commit"],
    create: (options) => {
      const storage = new MemoryStorage(options);
      let open: Repositories | undefined;
      return brokenStorage(storage, {
        repositories: new Proxy(storage.repositories, {
          get: (closed, name) => Reflect.get(open ?? closed, name) as unknown,
        }),
        transaction: async <T>(work: (r: Repositories, attempt: Attempt) => Promise<T>) => {
          const outcome = await storage.transaction<{ result: T } | { error: unknown }>(async (r, attempt) => {
            let kept = false;
            const broken: Attempt = async (nested) => {
              const result = await attempt(nested);
              [kept, open] = [true, r];
              return result;
            };
            try {
              return { result: await work(r, broken) };
            } catch (error) {
              if (!kept) throw error;
              return { error };
            } finally {
              open = undefined;
            }
          });
          if ("error" in outcome) throw outcome.error;
          return outcome.result;
        },
      });
    },
  },

  {
    fault: "hides the changes of a transaction with a rolled-back nested transaction from followers",
    caughtBy: [told],
    create: (options) => {
      const storage = new MemoryStorage(options);
      const silent = new Set<string>();
      const reading = (r: Repositories) =>
        withFault(r, () =>
          withFeed(r, (changes, { after }) => changes.filter(({ id }) => after.stamp === 0 || !silent.has(id))),
        );
      return brokenStorage(storage, {
        repositories: reading(storage.repositories),
        transaction: (work) =>
          storage.transaction(async (r, attempt) => {
            const written: string[] = [];
            let undoes = false;
            const broken: Attempt = (nested) =>
              attempt(nested).catch((error: unknown) => {
                undoes = true;
                throw error;
              });
            const result = await work(
              recording(r, (object) => written.push(object.id)),
              broken,
            );
            if (undoes) for (const id of written) silent.add(id);
            return result;
          }),
      });
    },
  },

  {
    fault: "reuses rolled-back object numbers",
    caughtBy: [numbered],
    create: (options) => {
      const storage = new MemoryStorage(options);
      let last = 1_000;
      const numbering = (r: Repositories) =>
        withFault(r, () => ({
          objects: {
            insert: async (...inserted) =>
              (await r.objects.insert(...inserted)).map((object) => ({ ...object, id: objectIdOf((last += 1)) })),
          },
        }));
      const forgetting: (run: Attempt) => Attempt = (run) => async (work) => {
        const before = last;
        try {
          return await run(work);
        } catch (error) {
          last = before;
          throw error;
        }
      };
      return brokenStorage(storage, {
        repositories: numbering(storage.repositories),
        transaction: (work) =>
          forgetting(unguarded)(() => storage.transaction((r, attempt) => work(numbering(r), forgetting(attempt)))),
      });
    },
  },
];

/** Repositories that report the inserted objects. */
function recording(r: Repositories, note: (object: StoredObject) => void): Repositories {
  return withFault(r, () => ({
    objects: {
      insert: async (...given: Parameters<Storage["repositories"]["objects"]["insert"]>) => {
        const inserted = await r.objects.insert(...given);
        inserted.forEach(note);
        return inserted;
      },
    },
  }));
}
