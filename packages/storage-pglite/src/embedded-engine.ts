import type { StorageCapabilities } from "@sallyport/core";
import type { Knex } from "knex";
import type { CustomTypesConfig } from "pg";

/** How an embedded engine is opened. */
export interface EmbeddedEngineOptions {
  /**
   * The directory that belongs to the engine, created when missing: the database cluster is its `cluster`, the lock its
   * `lock`. Must be on a file system with hard links that belongs to one machine. Or "memory://": nothing is kept.
   */
  readonly dataDir: string;
  /** A dump to begin with in place of an empty database, many times faster; the directory must hold no database yet. */
  readonly template?: Blob;
  /** Whether a commit waits until the disk has it. Default true; without effect in memory. */
  readonly durable?: boolean;
  /** Milliseconds a query waits for the connection while a transaction has it, before it fails. Default 5,000. */
  readonly acquireConnectionTimeout?: number;
  /** Milliseconds a close waits: first for the connection to be given back, then for the database to shut down. Default 10,000. */
  readonly closeTimeout?: number;
  /** Bytes of write-ahead log between checkpoints. Default 64 MiB. */
  readonly checkpointBytes?: number;
  /** Milliseconds a statement may take unless the session sets `statement_timeout`; 0 for as long as it needs. Default 30,000. */
  readonly statementTimeout?: number;
  /**
   * Shares the database with other processes of this user on this machine, which `joinEmbeddedEngine` it: over a socket in the
   * directory, one connection at a time, each for at most `limit` milliseconds. While one has it, everything here waits as
   * for a transaction. By default, and without effect in memory and on Windows, the directory is this process's alone.
   */
  readonly sharing?: { readonly limit: number };
  /** How the driver reads types; the driver's own way by default. */
  readonly types?: CustomTypesConfig;
  /** Further settings of Knex (logging, hooks). */
  readonly knex?: Omit<Knex.Config, "client" | "connection" | "pool" | "acquireConnectionTimeout">;
}

/**
 * PostgreSQL 18 in this process (PGlite, in a thread of its own), behind Knex and the ordinary driver: the same results,
 * the same error objects. How it differs from a server:
 *
 * - One session, so one connection: a query outside the open transaction waits until that ends, and fails with Knex's
 *   timeout error after `acquireConnectionTimeout`. Awaited inside the transaction it can only fail.
 * - A statement that takes longer than the session's `statement_timeout` fails with a `StatementTimeoutError` (57014) and
 *   takes its connection along: the database is ended in the middle of it and starts again, in a second or two, with the
 *   next connection. The open transaction is rolled back, what is committed is there, and who waits for the connection
 *   goes on waiting. A COMMIT that is cut off like that leaves open whether it was done. In memory the caller is told
 *   the same and the database works on: who comes next waits for that, and what was outside of a transaction is done.
 * - The time counts for all that a client sends before it wants an answer, statements of one text together; it is looked
 *   at every 25 ms. `lock_timeout` and its kin are ignored, queries cannot be cancelled, and COPY FROM STDIN answers 57014.
 * - No background work: checkpoints are made by the engine; vacuum and statistics only when `maintain` is called.
 * - Memory: about 350 MB while it runs; while a new database is made without a template, for some seconds, 900 MB.
 * - If it gives up (a full disk, an I/O error) the query fails, and the next connection starts it again; see
 *   `EngineStoppedError`.
 *
 * What holds, in a directory and with `durable`:
 *
 * - **The process is killed** (kill -9, out of memory): nothing committed is lost, nothing uncommitted stays. The
 *   directory can be opened again at once.
 * - **The power fails:** the same, as far as the operating system and the disk keep their word. A commit is answered
 *   after fdatasync of the write-ahead log, data files are synchronized at checkpoints, torn pages are repaired from the
 *   log: as with a PostgreSQL server with `fsync=on` and `wal_sync_method=fdatasync`.
 * - With `durable: false` a killed process still loses nothing; a power failure may lose what was committed and may
 *   leave a database that cannot be opened.
 */
export interface EmbeddedEngine {
  readonly knex: Knex;
  /** What storages on it declare otherwise than those on a server. */
  readonly capabilities: Pick<StorageCapabilities, "durable" | "severalProcesses" | "parallelTransactions">;
  /** The database as a tar file, for `template`. Waits for the open transaction, as a query would. */
  dump(): Promise<Blob>;
  /** VACUUM and ANALYZE of all tables, in whatever time that takes: worth calling about daily, at a quiet time. Everything waits for it. */
  maintain(): Promise<void>;
  /**
   * Waits for the open transaction, shuts the database down and gives the directory free. What is still running after
   * `closeTimeout` is broken off and rolled back. Calling it again gives the same promise.
   */
  close(): Promise<void>;
}
