import {
  type Attempt,
  objectIdOf,
  type Repositories,
  ServiceError,
  type Storage,
  type StoredObject,
} from "@sallyport/core";
import { MemoryStorage } from "@sallyport/storage-memory";
import { type BrokenAdapter, brokenStorage, unguarded, withFault } from "./broken-adapter.ts";

/** A storage in memory whose transactions have other parts. */
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

const undone = "leave nothing of what they wrote if they throw, and the transaction goes on";
const nested = "nest, and each is undone by itself";
const refused = "leave nothing behind when a call of theirs is refused, whichever it is";
const later = "are undone with a transaction that fails after them";
const told = "are told among the changes once, if they are kept";
const numbered = "give no object an id that was given before, also where that was undone";

/** Faults in the parts of transactions. */
export const brokenPartAdapters: readonly BrokenAdapter[] = [
  brokenParts("takes parts for nothing of their own", [undone, nested, refused], () => unguarded),

  brokenParts("undoes no part within another one", [nested], (attempt) => {
    let depth = 0;
    return async (part) => {
      depth += 1;
      try {
        return await (depth > 1 ? unguarded(part) : attempt(part));
      } finally {
        depth -= 1;
      }
    };
  }),

  brokenParts("can do no part after one that was undone", [nested, refused], (attempt) => {
    let failure: unknown;
    return async (part) => {
      if (failure !== undefined) throw failure;
      try {
        return await attempt(part);
      } catch (error) {
        failure = new ServiceError(799, { cause: error });
        throw error;
      }
    };
  }),

  brokenParts(
    "keeps what a part did before a call of it was refused",
    [refused],
    (attempt) =>
      async <T>(part: () => Promise<T>) => {
        const outcome = await attempt<{ result: T } | { error: ServiceError }>(async () => {
          try {
            return { result: await part() };
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
    "wraps the errors of parts",
    ["let their errors out unchanged", "let the errors of calls out as they are"],
    (attempt) => async (part) => {
      try {
        return await attempt(part);
      } catch (cause) {
        throw new ServiceError(799, { cause });
      }
    },
  ),

  brokenParts("throws at once what a part throws at once", ["let their errors out unchanged"], (attempt) => (part) => {
    const begun = part();
    return attempt(() => begun);
  }),

  brokenParts(
    "keeps the results of parts to itself",
    ["are kept with the transaction, and hand on their result", "can do nothing, and the transaction goes on"],
    (attempt) => async (part) => {
      await attempt(part);
      return undefined as never;
    },
  ),

  {
    fault: "keeps the parts of a transaction that fails",
    caughtBy: [later, "do not show their work to others before the transaction is kept"],
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
            const parts: Attempt = async (part) => {
              const result = await attempt(part);
              [kept, open] = [true, r];
              return result;
            };
            try {
              return { result: await work(r, parts) };
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
    fault: "tells those who follow no changes of a transaction of which a part was undone",
    caughtBy: [told],
    create: (options) => {
      const storage = new MemoryStorage(options);
      const silent = new Set<string>();
      const reading = (r: Repositories) =>
        withFault(r, () => ({
          changes: {
            read: async (after, ...asked) =>
              (await r.changes.read(after, ...asked)).filter(({ id }) => after.stamp === 0 || !silent.has(id)),
          },
        }));
      return brokenStorage(storage, {
        repositories: reading(storage.repositories),
        transaction: (work) =>
          storage.transaction(async (r, attempt) => {
            const written: string[] = [];
            let undoes = false;
            const parts: Attempt = (part) =>
              attempt(part).catch((error: unknown) => {
                undoes = true;
                throw error;
              });
            const result = await work(
              noting(r, (object) => written.push(object.id)),
              parts,
            );
            if (undoes) for (const id of written) silent.add(id);
            return result;
          }),
      });
    },
  },

  {
    fault: "gives numbers again that were undone",
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

/** Repositories that tell which objects they insert. */
function noting(r: Repositories, note: (object: StoredObject) => void): Repositories {
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
