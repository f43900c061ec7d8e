import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Attempt,
  type AttributeIndex,
  type BatchRepositories,
  builtInClasses,
  type ClassDefinition,
  type IndexReport,
  type MigrationReport,
  type Repositories,
  ServiceError,
  type Storage,
  type StorageCapabilities,
} from "@sallyport/storage";
import { type Access, TrackedAccess, TransactionAccess, Mutex } from "./access.ts";
import { MemoryArchive } from "./archive/memory-archive.ts";
import { frozenCopy } from "./table.ts";
import { memoryRepositories } from "./memory-repositories.ts";
import { copyState, emptyState, forkState, keepState, nextNumber, restoreState } from "./state.ts";

export interface MemoryStorageOptions {
  /** Milliseconds by which the storage's clock is ahead of the process's, read at every call. Default: 0. */
  readonly clockOffset?: () => number;
}

/**
 * A database in the memory of this process. Writes and transactions are sequential. Reads outside transactions see
 * committed data and never wait.
 */
export class MemoryStorage implements Storage {
  readonly capabilities: StorageCapabilities = {
    durable: false,
    severalProcesses: false,
    parallelTransactions: false,
    valueIndexes: false,
    indexesPerTable: null,
    connections: null,
  };
  readonly repositories: Repositories;
  readonly archive: MemoryArchive;
  private readonly clockOffset: () => number;
  private readonly state = emptyState();
  private readonly mutex = new Mutex();
  /** The transaction of the running code. */
  private readonly current = new AsyncLocalStorage<TransactionAccess>();
  private indexes: ReadonlySet<string> = new Set();
  private migrated = false;
  private closed = false;

  constructor({ clockOffset = () => 0 }: MemoryStorageOptions = {}) {
    this.clockOffset = clockOffset;
    const access: Access = {
      read: async (work) => {
        this.checkUsable();
        return work(this.state, this.time());
      },
      write: async (work) => {
        this.checkUsable();
        return this.mutex.run(() => {
          const fork = forkState(this.state);
          const result = work(fork, this.time());
          keepState(fork);
          return result;
        });
      },
    };
    this.repositories = memoryRepositories(access);
    this.archive = new MemoryArchive(this.state, this.mutex, () => this.checkUsable());
  }

  transaction<T>(work: (r: Repositories, attempt: Attempt) => Promise<T>): Promise<T> {
    return this.transact((access) => work(memoryRepositories(access), (nested) => access.attempt(nested)));
  }

  batch<T>(work: (r: BatchRepositories) => Promise<T>): Promise<T> {
    return this.transact(async (access) => {
      const tracked = new TrackedAccess(access);
      const running = work(memoryRepositories(tracked));
      // A batch accepts calls only until `work` returns its promise.
      access.end();
      const answers = tracked.answers();
      answers.catch(() => {});
      const result = await running;
      await answers;
      return result;
    });
  }

  private async transact<T>(work: (access: TransactionAccess) => Promise<T>): Promise<T> {
    this.checkUsable();
    return this.mutex.run(async () => {
      const fork = forkState(this.state);
      const access = new TransactionAccess(fork, () => this.time());
      try {
        const result = await this.current.run(access, () => work(access));
        access.end();
        keepState(fork);
        return result;
      } finally {
        access.end();
        // Otherwise every promise of the process would still be tracked for this storage.
        this.current.disable();
      }
    });
  }

  async migrate(classes: readonly ClassDefinition[] = builtInClasses): Promise<MigrationReport> {
    this.checkOpen();
    if (this.migrated) return { applied: [] };
    this.migrated = true;
    for (const definition of frozenCopy(classes)) this.state.classes.set(definition.name, definition);
    nextNumber(this.state, "modelGeneration");
    return { applied: ["built-in-classes"] };
  }

  /** Only records the wanted indexes: an index would not speed up anything here. */
  async alignIndexes(wanted: readonly AttributeIndex[]): Promise<IndexReport> {
    this.checkUsable();
    const built = wanted.filter((index) => !this.indexes.has(keyOf(index)));
    const removed = this.indexes.size + built.length - wanted.length;
    this.indexes = new Set(wanted.map(keyOf));
    return { built, removed };
  }

  async readyIndexes(indexes: readonly AttributeIndex[]): Promise<AttributeIndex[]> {
    this.checkUsable();
    return indexes.filter((index) => this.indexes.has(keyOf(index)));
  }

  async health(): Promise<void> {
    this.checkOpen();
    if (!this.migrated) throw new ServiceError(705);
  }

  async now(): Promise<number> {
    this.checkOpen();
    return this.time();
  }

  /** Keeps the current content. The result restores it, as often as it is called. */
  async snapshot(): Promise<() => Promise<void>> {
    const kept = await this.mutex.run(() => copyState(this.state));
    return () => this.mutex.run(() => restoreState(this.state, kept));
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.mutex.run(() => {});
  }

  private time(): number {
    return Date.now() + this.clockOffset();
  }

  private checkOpen(): void {
    if (this.closed) throw new ServiceError(706, { detail: "The storage is closed." });
  }

  private checkUsable(): void {
    this.checkOpen();
    if (!this.migrated) throw new ServiceError(705);
    // It would deadlock with the running transaction.
    if (this.current.getStore()?.running === true) {
      throw new ServiceError(799, { detail: "A transaction must await only its own repositories." });
    }
  }
}

function keyOf({ className, attribute, type }: AttributeIndex): string {
  return `${className} ${attribute} ${type}`;
}
