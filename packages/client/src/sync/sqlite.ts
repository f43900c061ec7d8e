import type { KeyRange, Snapshot, SyncStorage } from "./storage.ts";

/** A prepared statement, as of `node:sqlite` and better-sqlite3. */
export interface SqliteStatement {
  run(...parameters: (string | number)[]): unknown;
  get(...parameters: (string | number)[]): unknown;
  all(...parameters: (string | number)[]): unknown[];
}

/** An open database, as of `node:sqlite` (`DatabaseSync`) and better-sqlite3. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
  close(): unknown;
}

/**
 * A storage in a SQLite database, which the storage closes. It creates the tables `sync_values` and `sync_revision`.
 * For several processes on one file, set the time that the database waits for the others: `PRAGMA busy_timeout`.
 */
export function sqliteStorage(database: SqliteDatabase): SyncStorage {
  return new SqliteStorage(database);
}

interface Entry {
  readonly key: string;
  readonly value: string;
}

class SqliteStorage implements SyncStorage {
  readonly #database: SqliteDatabase;
  readonly #statements: Readonly<Record<"revision" | "raise" | "get" | "list" | "put" | "remove", SqliteStatement>>;

  constructor(database: SqliteDatabase) {
    this.#database = database;
    database.exec(`
      CREATE TABLE IF NOT EXISTS sync_values (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS sync_revision (id INTEGER PRIMARY KEY CHECK (id = 1), revision INTEGER NOT NULL);
      INSERT OR IGNORE INTO sync_revision (id, revision) VALUES (1, 0)`);
    this.#statements = {
      revision: database.prepare("SELECT revision FROM sync_revision"),
      raise: database.prepare("UPDATE sync_revision SET revision = revision + 1"),
      get: database.prepare("SELECT value FROM sync_values WHERE key = ?"),
      list: database.prepare("SELECT key, value FROM sync_values WHERE key > ? AND key < ? ORDER BY key LIMIT ?"),
      put: database.prepare("INSERT OR REPLACE INTO sync_values (key, value) VALUES (?, ?)"),
      remove: database.prepare("DELETE FROM sync_values WHERE key = ?"),
    };
  }

  async read(keys: readonly string[]): Promise<Snapshot<(string | null)[]>> {
    const { get } = this.#statements;
    return this.#inTransaction("BEGIN", () => ({
      revision: this.#revision(),
      value: keys.map((key) => (get.get(key) as Entry | undefined)?.value ?? null),
    }));
  }

  async list({ after, before, limit }: KeyRange): Promise<Snapshot<[string, string][]>> {
    return this.#inTransaction("BEGIN", () => {
      const entries = this.#statements.list.all(after, before, limit) as Entry[];
      return { revision: this.#revision(), value: entries.map(({ key, value }) => [key, value]) };
    });
  }

  async write(revision: number, changes: ReadonlyMap<string, string | null>): Promise<boolean> {
    const { put, remove, raise } = this.#statements;
    return this.#inTransaction("BEGIN IMMEDIATE", () => {
      if (this.#revision() !== revision) return false;
      for (const [key, value] of changes) {
        if (value === null) remove.run(key);
        else put.run(key, value);
      }
      raise.run();
      return true;
    });
  }

  async close(): Promise<void> {
    this.#database.close();
  }

  #revision(): number {
    return (this.#statements.revision.get() as { readonly revision: number }).revision;
  }

  /** The work is synchronous, so nothing else of this process comes between. */
  #inTransaction<T>(begin: string, work: () => T): T {
    this.#database.exec(begin);
    try {
      const result = work();
      this.#database.exec("COMMIT");
      return result;
    } catch (error) {
      this.#database.exec("ROLLBACK");
      throw error;
    }
  }
}
