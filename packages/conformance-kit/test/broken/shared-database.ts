import { AsyncLocalStorage } from "node:async_hooks";
import type { StorageUnderTest } from "@sallyport/conformance-kit";
import { type Attempt, RefusedByStorageError, type Repositories, ServiceError, type Storage } from "@sallyport/storage";
import { MemoryStorage } from "@sallyport/storage-memory";
import { brokenStorage, type Fault, withFault } from "./broken-adapter.ts";

/** A put that loses a race with another writer. */
class ConflictError extends Error {}

/** The faults of a process, created once per process for a private state. */
export interface ProcessFault {
  readonly repositories?: (storage: MemoryStorage) => Fault;
  readonly storage?: (process: Storage, storage: MemoryStorage) => Partial<Storage>;
  /** Whether a transaction continues after a serialization failure in a nested one. */
  readonly survivesLosses?: boolean;
  /** The error of a write that the database refuses; default: the right one. */
  readonly refusal?: () => unknown;
  /** Maximum number of runs of a transaction with serialization failures. */
  readonly runs?: number;
}

/** A memory database for several processes, sequential or concurrent, each with its own connection. */
export class SharedDatabase {
  private readonly storage: MemoryStorage;
  /** Outside any transaction of the caller. */
  private readonly outside = AsyncLocalStorage.snapshot();
  private losses = 0;
  private refusals = 0;

  constructor(
    options: { readonly clockOffset: () => number },
    private readonly fault: ProcessFault = {},
  ) {
    this.storage = new MemoryStorage(options);
  }

  /** The first process, with functions that open others. */
  underTest(): StorageUnderTest {
    return {
      storage: this.connect(),
      another: async () => this.connect(),
      loseNext: async (times) => void (this.losses = times),
      refuseNext: async (times) => void (this.refusals = times),
      destroy: () => this.storage.close(),
    };
  }

  private connect(): Storage {
    const { storage } = this;
    const open = { calls: 0, closed: false, settle: () => {} };
    const during = async <T>(call: () => Promise<T>): Promise<T> => {
      if (open.closed) throw new ServiceError(706);
      open.calls += 1;
      try {
        return await this.outside(call);
      } finally {
        open.calls -= 1;
        if (open.calls === 0) open.settle();
      }
    };
    const fault = this.fault.repositories?.(storage) ?? (() => ({}));
    const of = (r: Repositories) => withFault(this.losing(r), fault);
    const transaction: Storage["transaction"] = (work) =>
      during(() => this.again(() => storage.transaction((r, attempt) => this.losable(of(r), attempt, work))));
    const process = brokenStorage(storage, {
      capabilities: { ...storage.capabilities, durable: true, severalProcesses: true },
      repositories: everyCallOf(of(storage.repositories), (call) => during(() => this.again(call))),
      transaction,
      batch: (work) => during(() => storage.batch((r) => work(of(r as Repositories)))),
      migrate: (classes) => during(() => storage.migrate(classes)),
      alignIndexes: (wanted) => during(() => storage.alignIndexes(wanted)),
      readyIndexes: (indexes) => during(() => storage.readyIndexes(indexes)),
      health: () => during(() => storage.health()),
      now: () => during(() => storage.now()),
      close: async () => {
        open.closed = true;
        if (open.calls > 0)
          await new Promise<void>((resolve) => {
            open.settle = resolve;
          });
      },
    });
    return brokenStorage(process, this.fault.storage?.(process, storage) ?? {});
  }

  private losing(r: Repositories): Repositories {
    return withFault(r, () => ({
      records: {
        put: (kind, id, value, options) => {
          if (this.refusals > 0) {
            this.refusals -= 1;
            return Promise.reject(this.fault.refusal?.() ?? new RefusedByStorageError("refused"));
          }
          if (this.losses === 0) return r.records.put(kind, id, value, options);
          this.losses -= 1;
          return Promise.reject(new ConflictError());
        },
      },
    }));
  }

  /** Work that cannot continue after a serialization failure in any nested transaction. */
  private async losable<T>(
    r: Repositories,
    attempt: Attempt,
    work: (r: Repositories, attempt: Attempt) => Promise<T>,
  ): Promise<T> {
    let lost: ConflictError | undefined;
    const inside = everyCallOf(r, async (call) => {
      if (lost !== undefined) throw new ServiceError(706, { cause: lost });
      try {
        return await call();
      } catch (error) {
        if (error instanceof ConflictError && this.fault.survivesLosses !== true) lost = error;
        throw error;
      }
    });
    const result = await work(inside, attempt);
    if (lost !== undefined) throw lost;
    return result;
  }

  private async again<T>(work: () => Promise<T>): Promise<T> {
    for (let left = this.fault.runs ?? 3; left > 0; left -= 1) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof ConflictError)) throw error;
      }
    }
    throw new ServiceError(706);
  }
}

/** Repositories with a wrapper around every call. */
function everyCallOf(r: Repositories, through: <T>(call: () => Promise<T>) => Promise<T>): Repositories {
  const repositories = Object.entries(r).map(([name, repository]) => [
    name,
    new Proxy(repository as object, {
      get: (target, method) => {
        const call = Reflect.get(target, method) as (...args: unknown[]) => Promise<unknown>;
        return (...args: unknown[]) => through(() => Reflect.apply(call, target, args));
      },
    }),
  ]);
  return Object.fromEntries(repositories) as Repositories;
}
