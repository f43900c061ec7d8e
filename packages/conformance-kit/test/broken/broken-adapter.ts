import type { Attempt, Repositories, Storage } from "@sallyport/storage";
import { MemoryStorage } from "@sallyport/storage-memory";

/** Creates a storage for a check. */
export type Create = (options: { readonly clockOffset: () => number }) => Storage;

/** A storage with one fault, and the checks that detect it. */
export interface BrokenAdapter {
  readonly fault: string;
  readonly caughtBy: readonly string[];
  readonly create: Create;
}

/** Replaces repository methods by faulty ones. All others are unchanged. */
export type Fault = (r: Repositories) => { readonly [K in keyof Repositories]?: Partial<Repositories[K]> };

/** Creates memory storages with a fault in their repositories, inside and outside transactions. */
export function withFaults(makeFault: () => Fault): Create {
  return (options) => {
    const faulty = makeFault();
    const storage = new MemoryStorage(options);
    return brokenStorage(storage, {
      repositories: withFault(storage.repositories, faulty),
      transaction: (work) => storage.transaction((r, attempt) => work(withFault(r, faulty), attempt)),
      batch: (work) => storage.batch((r) => work(withFault(r as Repositories, faulty))),
    });
  };
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

/** A nested transaction without a savepoint: its writes stay when it fails. */
export const unguarded: Attempt = (work) => work();

/** Lets other pending work continue. */
export function pause(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
