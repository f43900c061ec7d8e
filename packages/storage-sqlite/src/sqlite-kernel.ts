import { setImmediate, setTimeout } from "node:timers/promises";
import {
  type FoundRow,
  type Kernel,
  type KernelRange,
  type KernelReader,
  type KernelTransaction,
  kernelVersion,
  type Row,
  ServiceError,
  type StorageCapabilities,
  type StorageClock,
} from "@sallyport/storage";
import { Connection, type Mode, Pool } from "./connections.ts";
import { type OpenDriver } from "./driver.ts";

/** Milliseconds that a call waits for a turn and a lock together. */
const longestWait = 5_000;

/** Milliseconds between two attempts to get a lock, at most. */
const longestDelay = 6;

/** Milliseconds after which long work lets timers fire. */
const longestTurn = 20;

/** Connections for reads. */
const readers = 16;

/**
 * A SQLite database in a file. One connection writes: its transactions take turns, and `begin immediate` excludes those of other
 * processes. Reads have connections of their own, and see the state at their begin.
 */
export class SqliteKernel implements Kernel {
  readonly version = kernelVersion;
  readonly capabilities: StorageCapabilities = {
    durable: true,
    severalProcesses: true,
    parallelTransactions: false,
    valueIndexes: true,
    indexesPerTable: null,
    connections: readers,
  };
  private readonly writer: Pool;
  private readonly readers: Pool;
  private readonly now: () => number;
  private closing: Promise<unknown> | undefined;

  constructor(file: string, { clockOffset = () => 0 }: StorageClock, open: OpenDriver) {
    // All processes are on one machine.
    this.now = () => Date.now() + clockOffset();
    // With `full` a commit waits for the disk, so that it survives a power cut.
    this.writer = new Pool([new Connection({ open, file, setting: "synchronous = full" })]);
    this.readers = new Pool(
      Array.from({ length: readers }, () => new Connection({ open, file, setting: "query_only = 1" })),
    );
  }

  read<T>(work: (reader: KernelReader) => Promise<T>): Promise<T> {
    return this.use(this.readers, "read", work);
  }

  transaction<T>(work: (transaction: KernelTransaction) => Promise<T>): Promise<T> {
    return this.use(this.writer, "write", async (transaction) => {
      const result = await work(transaction);
      transaction.commit();
      return result;
    });
  }

  migrate(): Promise<void> {
    return this.use(this.writer, "create", async (transaction) => transaction.commit());
  }

  /** Writes a stamp, so that a full disk shows. */
  async health(): Promise<void> {
    await this.transaction((transaction) => transaction.stamp());
  }

  async close(): Promise<void> {
    await (this.closing ??= Promise.all([this.writer.close(), this.readers.close()]));
  }

  /** Runs work in a transaction of SQLite, and rolls back what it does not commit. */
  private async use<T>(pool: Pool, mode: Mode, work: (transaction: SqliteTransaction) => Promise<T>): Promise<T> {
    if (this.closing !== undefined) throw new ServiceError(706, { detail: "The storage is closed." });
    const deadline = performance.now() + longestWait;
    const connection = await pool.take(longestWait);
    const transaction = new SqliteTransaction(connection, this.now);
    try {
      // The driver is synchronous, and would starve timers.
      await setImmediate();
      await transaction.begin(mode, deadline);
      return await work(transaction);
    } finally {
      transaction.end();
      pool.give(connection);
    }
  }
}

/** A transaction, or a read: its connection refuses writes. */
class SqliteTransaction implements KernelTransaction {
  /** The stamp of the last transaction, as this one sees it. */
  private last = 0;
  private hasWritten = false;
  /** The reason why no further call is possible. */
  private failure: unknown;
  private yieldedAt = performance.now();

  constructor(
    private readonly connection: Connection,
    private readonly time: () => number,
  ) {}

  /** Tries again while another process has the lock. */
  async begin(mode: Mode, deadline: number): Promise<void> {
    for (;;) {
      try {
        this.last = this.connection.begin(mode);
        return;
      } catch (error) {
        this.connection.rollback();
        if (!(error instanceof ServiceError) || error.code !== 607 || performance.now() > deadline) throw error;
      }
      await setTimeout(1 + Math.random() * (longestDelay - 1));
    }
  }

  get(table: string, keys: readonly string[]): Promise<Pick<Row, "key" | "value">[]> {
    const sql = "select key, value from sallyport_rows where tbl = ? and key = ?";
    return this.call(() => [...new Set(keys)].flatMap((key) => this.connection.query(sql, table, key).map(parsed)));
  }

  range(table: string, range: KernelRange, limit: number, descending = false): Promise<FoundRow[]> {
    const { from, join, at, where, values } = partsOf(table, range);
    const order = `order by ${at} ${descending ? "desc" : "asc"} limit ?`;
    const sql = `select r.key, r.value, ${at} as place from ${from} ${join} where ${where} ${order}`;
    return this.call(() => this.connection.query(sql, ...values, limit).map(parsed));
  }

  count(table: string, range: KernelRange, atMost: number): Promise<number> {
    const { from, where, values } = partsOf(table, range);
    const sql = `select count(*) as number from (select 1 from ${from} where ${where} limit ?)`;
    return this.call(() => {
      const [{ number }] = this.connection.query(sql, ...values, atMost) as [{ readonly number: number }];
      return number;
    });
  }

  async now(): Promise<number> {
    return this.time();
  }

  async watermark(): Promise<number> {
    return this.last;
  }

  async stamp(): Promise<number> {
    this.hasWritten = true;
    return this.last + 1;
  }

  put(table: string, rows: readonly Row[]): Promise<void> {
    this.hasWritten = true;
    const sql = `insert into sallyport_rows (tbl, key, value) values (?, ?, ?)
      on conflict do update set value = excluded.value returning id`;
    return this.call(() => {
      const latest = [...new Map(rows.map((row) => [row.key, row])).values()];
      const stored = latest.map(({ key, value, places }) => {
        const [{ id }] = this.connection.query(sql, table, key, JSON.stringify(value)) as [{ readonly id: number }];
        this.connection.query("delete from sallyport_places where row = ?", id);
        return { id, places };
      });
      // After all deletions, as a row can take over a place of another.
      for (const { id, places } of stored)
        for (const [index, list] of Object.entries(places))
          for (const place of new Set(list))
            this.connection.query("insert into sallyport_places values (?, ?, ?, ?)", table, index, place, id);
    });
  }

  delete(table: string, keys: readonly string[]): Promise<void> {
    this.hasWritten = true;
    const row = "from sallyport_rows where tbl = ? and key = ?";
    return this.call(() => {
      for (const key of keys) {
        this.connection.query(`delete from sallyport_places where row = (select id ${row})`, table, key);
        this.connection.query(`delete ${row}`, table, key);
      }
    });
  }

  commit(): void {
    if (this.failure !== undefined) throw this.failure;
    if (this.hasWritten) this.connection.query("update sallyport_state set stamp = ?", this.last + 1);
    this.connection.query("commit");
  }

  /** Later calls must not get into the next transaction of this connection. */
  end(): void {
    this.failure ??= new ServiceError(706, { detail: "The transaction has ended." });
    this.connection.rollback();
  }

  private async call<T>(statements: () => T): Promise<T> {
    if (performance.now() - this.yieldedAt > longestTurn) {
      await setImmediate();
      this.yieldedAt = performance.now();
    }
    if (this.failure !== undefined) throw this.failure;
    try {
      return statements();
    } catch (error) {
      // Further statements would be transactions of their own.
      if (this.connection.isInTransaction !== true) this.failure = error;
      throw error;
    }
  }
}

function parsed(row: unknown): FoundRow {
  const entry = row as Omit<FoundRow, "value"> & { readonly value: string };
  return { ...entry, value: JSON.parse(entry.value) as FoundRow["value"] };
}

/** The parts of the SQL of a range. Names of tables and indexes are values, too. */
function partsOf(table: string, { index, from: first = "", to }: KernelRange) {
  const [from, join, at, of] =
    index === undefined
      ? ["sallyport_rows r", "", "r.key", "r.tbl = ?"]
      : ["sallyport_places p", "cross join sallyport_rows r on r.id = p.row", "p.place", "p.tbl = ? and p.idx = ?"];
  const values = [table, index, first, to].filter((value) => value !== undefined);
  return { from, join, at, where: `${of} and ${at} >= ?${to === undefined ? "" : ` and ${at} < ?`}`, values };
}
