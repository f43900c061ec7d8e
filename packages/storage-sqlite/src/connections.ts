import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { RefusedByStorageError, ServiceError } from "@sallyport/storage";
import { busy, type Driver, type OpenDriver, storageError } from "./driver.ts";

/** All tables of the kernel are in one, so that no migration changes a table that is in use. */
const schema = [
  "create table if not exists sallyport_state (stamp integer not null)",
  "insert into sallyport_state select 0 where not exists (select 1 from sallyport_state)",
  `create table if not exists sallyport_rows
    (id integer primary key, tbl text not null, key text not null, value text not null, unique (tbl, key))`,
  `create table if not exists sallyport_places
    (tbl text not null, idx text not null, place text not null, row integer not null, primary key (tbl, idx, place))
    without rowid`,
  "create index if not exists sallyport_places_of_rows on sallyport_places (row)",
];

/** A read sees the state at its begin, a write excludes others, and a creation also makes what is missing. */
export type Mode = "read" | "write" | "create";

export interface ConnectionOptions {
  readonly open: OpenDriver;
  readonly file: string;
  /** A pragma. */
  readonly setting: string;
}

/**
 * A connection, opened when it is first used, and again after errors. It throws the errors of the contract, and never waits for
 * a lock, which would block the event loop: 607 at once.
 */
export class Connection {
  private database: Driver | undefined;
  private readonly statements = new Map<string, ReturnType<Driver["prepare"]>>();

  constructor(private readonly options: ConnectionOptions) {}

  /** Whether a transaction is open; `undefined` if the driver cannot tell. After some errors SQLite ends it by itself. */
  get isInTransaction(): boolean | undefined {
    return this.database?.inTransaction ?? this.database?.isTransaction;
  }

  /** Begins a transaction. Returns the stamp of the last one: reading it fixes the state that this one sees. */
  begin(mode: Mode): number {
    if (this.database === undefined) this.connect(mode === "create");
    if (mode === "create") this.useWriteAheadLog();
    this.query(mode === "read" ? "begin" : "begin immediate");
    if (mode === "create") for (const sql of schema) this.query(sql);
    const [state] = this.query("select stamp from sallyport_state") as [{ readonly stamp: number }];
    return state.stamp;
  }

  /** Ends the transaction in any case, if one is open. */
  rollback(): void {
    if (this.isInTransaction === false) return;
    try {
      this.query("rollback");
    } catch {
      this.close();
    }
  }

  /** Returns the rows, if the statement has any. */
  query(sql: string, ...values: readonly unknown[]): unknown[] {
    try {
      const statement = this.statements.get(sql) ?? (this.database as Driver).prepare(sql);
      this.statements.set(sql, statement);
      if (statement.reader !== false) return statement.all(...values);
      statement.run(...values);
      return [];
    } catch (error) {
      throw storageError(error);
    }
  }

  close(): void {
    this.statements.clear();
    this.database?.close();
    this.database = undefined;
  }

  /** Reads and writes then do not wait for one another. The file keeps this mode. */
  private useWriteAheadLog(): void {
    const [log] = this.query("pragma journal_mode = wal") as [{ readonly journal_mode: string }];
    if (log.journal_mode !== "wal") throw new RefusedByStorageError("refused", log);
  }

  /** Drivers create a missing file. No empty database must take the place of one whose disk is missing. */
  private connect(creates: boolean): void {
    const { open, file, setting } = this.options;
    if (!creates && !existsSync(file)) throw new ServiceError(existsSync(dirname(file)) ? 705 : 704);
    try {
      this.database = open(file);
      this.database.exec(`pragma busy_timeout = 0; pragma ${setting}`);
    } catch (cause) {
      this.close();
      const error = storageError(cause);
      throw error instanceof ServiceError ? error : new ServiceError(704, { cause });
    }
  }
}

/** Connections that each serve one work at a time, in order of arrival. */
export class Pool {
  private readonly waiting = new Set<(connection: Connection) => void>();
  private readonly size: number;

  constructor(private readonly free: Connection[]) {
    this.size = free.length;
  }

  /** Waits for a free connection. 607 after this many milliseconds. */
  async take(wait: number): Promise<Connection> {
    const free = this.free.pop();
    if (free !== undefined) return free;
    return new Promise((resolve, reject) => {
      const turn = (connection: Connection) => {
        clearTimeout(timer);
        resolve(connection);
      };
      const timer = setTimeout(() => {
        if (this.waiting.delete(turn)) reject(busy());
      }, wait);
      this.waiting.add(turn);
    });
  }

  give(connection: Connection): void {
    const [next] = this.waiting;
    if (next === undefined) this.free.push(connection);
    else if (this.waiting.delete(next)) next(connection);
  }

  /** Waits for all work that runs or waits, however long it takes, and closes the connections for ever. */
  async close(): Promise<void> {
    for (let open = this.size; open > 0; open -= 1) (await this.take(2 ** 31 - 1)).close();
  }
}
