import { mkdir } from "node:fs/promises";
import path from "node:path";
import type { StorageCapabilities } from "@sallyport/core";
import knexPkg, { type Knex } from "knex";
import type pg from "pg";
import { EmbeddedBackend } from "./backend/embedded-backend.ts";
import { withinTime } from "./backend/engine-worker.ts";
import type { WorkerSettings } from "./backend/worker-messages.ts";
import { prepareCluster } from "./cluster-directory.ts";
import { EmbeddedKnexClient } from "./embedded-knex-client.ts";
import { type DirectoryLock, lockDirectory } from "./lock/directory-lock.ts";
import { type LocalClients, serveLocalClients } from "./local-clients.ts";
import { WireSocket } from "./wire/wire-socket.ts";

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
  readonly types?: pg.CustomTypesConfig;
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

const { knex: createKnex } = knexPkg;

/**
 * Opens the embedded engine; see {@link EmbeddedEngine} for what it promises.
 *
 * @throws {DirectoryLockedError} when the directory is in use, by this process or another
 * @throws {EngineStoppedError} when the database cannot start
 */
export async function openEmbeddedEngine(options: EmbeddedEngineOptions): Promise<EmbeddedEngine> {
  const { template, durable = true, checkpointBytes = 64 * 1024 * 1024, statementTimeout = 30_000 } = options;
  if (options.dataDir === "memory://") {
    const settings = { clusterDirectory: undefined, template, durable: false, checkpointBytes, statementTimeout };
    return startOn(settings, options, undefined);
  }
  const directory = path.resolve(options.dataDir);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const lock = await lockDirectory(directory);
  try {
    const clusterDirectory = await prepareCluster(directory, { template, durable });
    const settings = { clusterDirectory, template: undefined, durable, checkpointBytes, statementTimeout };
    return await startOn(settings, options, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function startOn(
  settings: WorkerSettings,
  options: EmbeddedEngineOptions,
  lock: DirectoryLock | undefined,
): Promise<EmbeddedEngine> {
  const backend = await EmbeddedBackend.start(settings);
  try {
    return await assemble(options, backend, lock);
  } catch (error) {
    // Knex refused its settings.
    await backend.close(options.closeTimeout ?? defaultCloseTimeout);
    throw error;
  }
}

async function assemble(
  options: EmbeddedEngineOptions,
  backend: EmbeddedBackend,
  lock: DirectoryLock | undefined,
): Promise<EmbeddedEngine> {
  const { acquireConnectionTimeout = 5_000, closeTimeout = defaultCloseTimeout } = options;
  const connection = {
    stream: () => new WireSocket(backend),
    // Named, so that the driver does not look for them in the environment.
    host: "embedded",
    user: "postgres",
    database: "postgres",
    ssl: false,
    ...(options.types === undefined ? {} : { types: options.types }),
  };
  const knex = createKnex({
    ...options.knex,
    client: EmbeddedKnexClient,
    connection: connection as Knex.PgConnectionConfig,
    pool: { min: 1, max: 1 },
    acquireConnectionTimeout,
  });
  let clients: LocalClients | undefined;
  if (options.sharing !== undefined && lock !== undefined) {
    const { limit } = options.sharing;
    const lend = (work: () => Promise<void>): Promise<void> => holdingConnection(knex, work);
    clients = await serveLocalClients({ directory: path.dirname(lock.file), backend, lend, limit });
  }
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await clients?.close();
    const released = knex.destroy();
    await withinTime(released, closeTimeout);
    await backend.close(closeTimeout);
    // Whoever was broken off gives the connection back now; a transaction that was forgotten never does.
    await withinTime(released, graceOfTheBroken);
    await lock?.release();
  };
  return {
    knex,
    capabilities: { durable: lock !== undefined, severalProcesses: false, parallelTransactions: false },
    dump: () => holdingConnection(knex, async () => new Blob([await backend.dump()])),
    maintain: () =>
      holdingConnection(knex, async (client) => {
        await client.query("set statement_timeout = 0");
        await client.query("vacuum (analyze)").finally(() => client.query("reset statement_timeout"));
      }),
    close: () => (closed ??= close()),
  };
}

/** Milliseconds. */
const defaultCloseTimeout = 10_000;
const graceOfTheBroken = 1_000;

async function holdingConnection<T>(knex: Knex, work: (connection: pg.Client) => Promise<T>): Promise<T> {
  const client = knex.client as Knex.Client & ConnectionKeeper;
  const connection = await client.acquireConnection();
  try {
    return await work(connection);
  } finally {
    await client.releaseConnection(connection);
  }
}

interface ConnectionKeeper {
  acquireConnection(): Promise<pg.Client>;
  releaseConnection(connection: pg.Client): Promise<void>;
}
