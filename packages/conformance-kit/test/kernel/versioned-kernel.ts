import type { KernelUnderTest } from "@sallyport/conformance-kit";
import {
  type Kernel,
  type KernelReader,
  type KernelTransaction,
  kernelVersion,
  RefusedByStorageError,
  ServiceError,
  type TableDeclaration,
} from "@sallyport/storage";
import { MemoryKernel } from "@sallyport/storage-memory";

/** The isolation of transactions. Only the first one keeps the contract. `none`: others see each write at once. */
export type Isolation = "serializable" | "snapshot" | "read committed" | "none";

export interface VersionedOptions {
  readonly clockOffset?: () => number;
  readonly isolation?: Isolation;
  /** Whether transactions without writes can lose, too. Without that, they come where they began. */
  readonly validatesReaders?: boolean;
  /** Whether open transactions hold the watermark back. */
  readonly holdsWatermark?: boolean;
  /** Whether a reopened database has all rows. */
  readonly isDurable?: boolean;
}

/** A call of a transaction, with the result of one that reads. */
interface Logged {
  readonly call: (transaction: KernelTransaction) => Promise<unknown>;
  readonly result: string | null;
}

const maxRuns = 20;

/** A database in memory for several processes, whose transactions run in parallel on states of their own. */
class VersionedDatabase {
  readonly committed: MemoryKernel;
  readonly open = new Set<number>();
  lastStamp = 0;
  losses = 0;
  refusals = 0;

  constructor(readonly options: VersionedOptions) {
    this.committed = new MemoryKernel(options);
  }

  get watermark(): number {
    const { holdsWatermark = true } = this.options;
    return holdsWatermark && this.open.size > 0 ? Math.min(...this.open) - 1 : this.lastStamp;
  }

  /** A copy of the committed state, which shares its rows. */
  fork(): MemoryKernel {
    return Object.assign(new MemoryKernel(this.options), { state: Reflect.get(this.committed, "state") as unknown });
  }
}

/** One process. A transaction that loses runs again. */
class VersionedKernel implements Kernel {
  readonly version = kernelVersion;
  readonly capabilities = {
    durable: true,
    severalProcesses: true,
    parallelTransactions: true,
    valueIndexes: false,
    indexesPerTable: null,
    connections: null,
  };
  private readonly running = new Set<Promise<unknown>>();
  private closed = false;

  constructor(private readonly database: VersionedDatabase) {}

  read<T>(work: (reader: KernelReader) => Promise<T>): Promise<T> {
    return this.during(() => {
      const { committed, watermark } = this.database;
      return committed.read((reader) => work(readerOf(reader, { watermark: async () => watermark })));
    });
  }

  transaction<T>(work: (transaction: KernelTransaction) => Promise<T>): Promise<T> {
    return this.during(async () => {
      for (let run = 1; run <= maxRuns; run += 1) {
        const attempt = new Attempt(this.database);
        try {
          return await attempt.run(work);
        } catch (error) {
          if (attempt.lost === null) throw error;
        } finally {
          attempt.end();
        }
      }
      throw new ServiceError(706, { detail: "The transaction has lost all of its runs." });
    });
  }

  migrate(tables: readonly TableDeclaration[]): Promise<void> {
    return this.during(() => this.database.committed.migrate(tables));
  }

  health(): Promise<void> {
    return this.during(() => this.database.committed.health());
  }

  async close(): Promise<void> {
    this.closed = true;
    await Promise.allSettled(this.running);
  }

  private async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.closed) throw new ServiceError(706);
    const running = work();
    this.running.add(running);
    try {
      return await running;
    } finally {
      this.running.delete(running);
    }
  }
}

/** One run of a transaction. */
class Attempt {
  /** The error of the call that has lost; all later calls fail with it. */
  lost: ServiceError | null = null;
  private readonly log: Logged[] = [];
  private readonly written = new Set<string>();
  private stamp: number | null = null;

  constructor(private readonly database: VersionedDatabase) {}

  async run<T>(work: (transaction: KernelTransaction) => Promise<T>): Promise<T> {
    const { committed } = this.database;
    await committed.read(async () => {});
    const [begin, own] = [this.database.fork(), this.database.fork()];
    const { watermark } = this.database;
    const result = await own.transaction((transaction) => work(this.transaction(transaction, watermark)));
    if (this.lost !== null) throw this.lost;
    await committed.transaction((transaction) => this.commit(transaction, begin));
    return result;
  }

  end(): void {
    if (this.stamp !== null) this.database.open.delete(this.stamp);
  }

  private transaction(own: KernelTransaction, watermark: number): KernelTransaction {
    const { isolation } = this.database.options;
    const isCurrent = isolation === "read committed" || isolation === "none";
    const reading = async <T>(call: (transaction: KernelTransaction) => Promise<T>): Promise<T> => {
      this.checkRunning();
      const result = await (isCurrent ? this.onCurrent(call) : call(own));
      this.log.push({ call, result: JSON.stringify(result) });
      return result;
    };
    const writing = async (table: string, keys: readonly string[], call: Logged["call"]): Promise<void> => {
      this.checkRunning();
      this.note(table, keys);
      this.log.push({ call, result: null });
      await call(own);
      if (this.database.options.isolation === "none")
        await this.database.committed.transaction(async (committed) => void (await call(committed)));
    };
    return {
      get: (...args) => reading((transaction) => transaction.get(...args)),
      range: (...args) => reading((transaction) => transaction.range(...args)),
      count: (...args) => reading((transaction) => transaction.count(...args)),
      now: () => own.now(),
      watermark: async () => watermark,
      put: async (table, rows) => {
        const kept = structuredClone(rows);
        this.provoke(table);
        const keys = kept.map(({ key }) => key);
        await writing(table, keys, (transaction) => transaction.put(table, kept));
      },
      delete: (table, keys) => writing(table, keys, (transaction) => transaction.delete(table, keys)),
      stamp: async () => {
        if (this.stamp === null) {
          this.database.lastStamp += 1;
          this.stamp = this.database.lastStamp;
          this.database.open.add(this.stamp);
        }
        return this.stamp;
      },
    };
  }

  /** Makes a call on the committed state of this moment, behind the own writes. */
  private onCurrent<T>(call: (transaction: KernelTransaction) => Promise<T>): Promise<T> {
    return this.database.fork().transaction(async (transaction) => {
      for (const { call: earlier, result } of this.log) if (result === null) await earlier(transaction);
      return call(transaction);
    });
  }

  /** Repeats the calls on the committed state, which must not have changed what the level of isolation protects. */
  private async commit(committed: KernelTransaction, begin: MemoryKernel): Promise<void> {
    const { isolation = "serializable", validatesReaders = true } = this.database.options;
    if (isolation === "none" || (!validatesReaders && this.written.size === 0)) return;
    if (isolation === "snapshot") {
      for (const each of this.written) {
        const [table = "", key = ""] = JSON.parse(each) as string[];
        const before = await begin.read((reader) => reader.get(table, [key]));
        if (JSON.stringify(await committed.get(table, [key])) !== JSON.stringify(before)) throw this.lose();
      }
    }
    for (const { call, result } of this.log) {
      if (result !== null && isolation !== "serializable") continue;
      if (JSON.stringify(await call(committed)) !== (result ?? undefined)) throw this.lose();
    }
  }

  private note(table: string, keys: readonly string[]): void {
    for (const key of keys) this.written.add(JSON.stringify([table, key]));
  }

  private provoke(table: string): void {
    if (table !== "records") return;
    if (this.database.refusals > 0) {
      this.database.refusals -= 1;
      throw new RefusedByStorageError("refused");
    }
    if (this.database.losses > 0) {
      this.database.losses -= 1;
      throw this.lose();
    }
  }

  private checkRunning(): void {
    if (this.lost !== null) throw this.lost;
  }

  private lose(): ServiceError {
    this.lost = new ServiceError(706, { detail: "Another transaction was faster." });
    return this.lost;
  }
}

function readerOf(reader: KernelReader, replaced: Partial<KernelReader>): KernelReader {
  return {
    get: (...args) => reader.get(...args),
    range: (...args) => reader.range(...args),
    count: (...args) => reader.count(...args),
    now: () => reader.now(),
    watermark: () => reader.watermark(),
    ...replaced,
  };
}

/** A database of several processes, and the first of them. */
export function versionedKernel(options: VersionedOptions = {}): KernelUnderTest {
  const database = new VersionedDatabase(options);
  const lost = new VersionedDatabase(options);
  return {
    kernel: new VersionedKernel(database),
    another: async () => new VersionedKernel(database),
    reopen: async () => {
      if (options.isDurable !== false) return new VersionedKernel(database);
      await lost.committed.migrate([{ name: "kitRows", indexes: ["first", "second"] }]);
      return new VersionedKernel(lost);
    },
    loseNext: async (times) => void (database.losses = times),
    refuseNext: async (times) => void (database.refusals = times),
    destroy: () => database.committed.close(),
  };
}
