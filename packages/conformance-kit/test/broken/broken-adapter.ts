import {
  type Attempt,
  beforeAllChanges,
  type Change,
  type ChangeQuery,
  type Repositories,
  type Storage,
} from "@sallyport/storage";
import { MemoryStorage } from "@sallyport/storage-memory";

/** A storage with one fault, and the checks that detect it. */
export interface BrokenAdapter {
  readonly fault: string;
  readonly caughtBy: readonly string[];
  readonly create: (options: { readonly clockOffset: () => number }) => Storage;
}

/** Replaces repository methods by faulty ones. All others are unchanged. */
export type Fault = (r: Repositories) => { readonly [K in keyof Repositories]?: Partial<Repositories[K]> };

/** A memory storage with a fault in its repositories, inside and outside transactions. */
export function broken(fault: string, caughtBy: string | readonly string[], makeFault: () => Fault): BrokenAdapter {
  const create: BrokenAdapter["create"] = (options) => {
    const faulty = makeFault();
    const storage = new MemoryStorage(options);
    return brokenStorage(storage, {
      repositories: withFault(storage.repositories, faulty),
      transaction: (work) => storage.transaction((r, attempt) => work(withFault(r, faulty), attempt)),
      batch: (work) => storage.batch((r) => work(withFault(r as Repositories, faulty))),
    });
  };
  return { fault, caughtBy: [caughtBy].flat(), create };
}

/** A storage with replaced members. */
export function brokenStorage(storage: Storage, replaced: Partial<Storage>): Storage {
  return {
    capabilities: storage.capabilities,
    repositories: storage.repositories,
    archive: storage.archive,
    transaction: (work) => storage.transaction(work),
    batch: (work) => storage.batch(work),
    migrate: (classes) => storage.migrate(classes),
    alignIndexes: (wanted) => storage.alignIndexes(wanted),
    readyIndexes: (indexes) => storage.readyIndexes(indexes),
    health: () => storage.health(),
    now: () => storage.now(),
    close: () => storage.close(),
    ...replaced,
  };
}

/** Repositories with a fault. All other methods are unchanged. */
export function withFault(r: Repositories, fault: Fault): Repositories {
  const replaced = fault(r);
  const repositories = Object.entries(r).map(([name, repository]) => [
    name,
    Object.assign(Object.create(repository as object) as object, replaced[name as keyof Repositories]),
  ]);
  return Object.fromEntries(repositories) as Repositories;
}

/** Changes read with another query, or answered differently. */
export function withFeed(
  r: Repositories,
  answer: (changes: readonly Change[], query: ChangeQuery) => readonly Change[],
  ask: (query: ChangeQuery) => ChangeQuery = (query) => query,
): { readonly changes: Pick<Repositories["changes"], "read"> } {
  return {
    changes: {
      read: async (query) => {
        const { changes, swept } = await r.changes.read(ask(query));
        return { changes: answer(changes, query), swept };
      },
    },
  };
}

/** Asks for the changes behind the position without a limit. */
export const unlimited = (query: ChangeQuery): ChangeQuery => ({ ...query, limit: Number.POSITIVE_INFINITY });

/** Asks for all changes up to the highest stamp. */
export const fromTheStart = (query: ChangeQuery): ChangeQuery => ({ ...unlimited(query), after: beforeAllChanges });

/** A nested transaction without a savepoint: its writes stay when it fails. */
export const unguarded: Attempt = (work) => work();

/** Lets other pending work continue. */
export function pause(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
