import type { Attempt, Repositories, Storage } from "@sallyport/core";
import { MemoryStorage } from "@sallyport/storage-memory";

/** A storage with one fault, and the checks that have to find it. */
export interface BrokenAdapter {
  readonly fault: string;
  readonly caughtBy: readonly string[];
  readonly create: (options: { readonly clockOffset: () => number }) => Storage;
}

/** What a fault puts in the place of the real repositories; everything else stays as it is. */
export type Fault = (r: Repositories) => { readonly [K in keyof Repositories]?: Partial<Repositories[K]> };

/** A storage in memory with a fault in its repositories, outside of transactions and inside. */
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

/** The storage with some of its own members replaced. */
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

/** Repositories with a fault in them; everything else stays as it is. */
export function withFault(r: Repositories, fault: Fault): Repositories {
  const replaced = fault(r);
  const repositories = Object.entries(r).map(([name, repository]) => [
    name,
    Object.assign(Object.create(repository as object) as object, replaced[name as keyof Repositories]),
  ]);
  return Object.fromEntries(repositories) as Repositories;
}

/** A part that is none: what it wrote stays whatever becomes of it. */
export const unguarded: Attempt = (part) => part();

/** Lets everything else go on that is ready to. */
export function pause(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
