import { mkdir } from "node:fs/promises";
import path from "node:path";
import type { StorageCapabilities } from "@sallyport/storage";
import knexPkg, { type Knex } from "knex";
import type pg from "pg";
import { EmbeddedBackend } from "./backend/embedded-backend.ts";
import { withinTime } from "./backend/engine-worker.ts";
import type { WorkerSettings } from "./backend/worker-messages.ts";
import { prepareCluster } from "./cluster/cluster-directory.ts";
import { newCluster } from "./cluster/new-cluster.ts";
import { EmbeddedKnexClient } from "./embedded-knex-client.ts";
import { type DirectoryLock, lockDirectory } from "./lock/directory-lock.ts";
import { type LocalClients, serveLocalClients } from "./local-clients.ts";
import { WireSocket } from "./wire/wire-socket.ts";

export interface EmbeddedEngineOptions {
  /**
   * The engine's directory, created if missing, with the database in `cluster` and the lock in `lock`. The file system
   * must be local to one machine and support hard links. "memory://" keeps nothing.
   */
  readonly dataDir: string;
  /** A dump to start from, many times faster than creating a database; the directory must not contain a database. */
  readonly template?: Blob;
  /** Whether a commit waits for the disk. Default: true; no effect in memory. */
  readonly durable?: boolean;
  /** Milliseconds that a query waits for the connection before it fails. Default: 5,000. */
  readonly acquireConnectionTimeout?: number;
  /** Milliseconds that a close waits, first for the connection, then for the shutdown. Default: 10,000. */
  readonly closeTimeout?: number;
  /** Bytes of write-ahead log between checkpoints. Default: 64 MiB. */
  readonly checkpointBytes?: number;
  /** Statement time-out in milliseconds unless the session sets `statement_timeout`; 0 for none. Default: 30,000. */
  readonly statementTimeout?: number;
  /**
   * Shares the database with other processes of this user on this machine (`joinEmbeddedEngine`): over a socket in the
   * directory, one connection at a time, for at most `limit` milliseconds each. Everything else waits for it.
   * Default: not shared. No effect in memory and on Windows.
   */
  readonly sharing?: { readonly limit: number };
  /** How the driver parses types. Default: the driver's parsers. */
  readonly types?: pg.CustomTypesConfig;
  /** Further settings of Knex (logging, hooks). */
  readonly knex?: Omit<Knex.Config, "client" | "connection" | "pool" | "acquireConnectionTimeout">;
}

/**
 * PostgreSQL 18 in this process (PGlite, in its own thread), behind Knex and the pg driver: the same results, the same
 * error objects. Differences from a server:
 *
 * - One session, so one connection: a query outside the open transaction waits for its end, and fails with Knex's timeout
 * error after `acquireConnectionTimeout`. Awaited inside the transaction, it always fails.
 * - A statement beyond the session's `statement_timeout` fails with a `StatementTimeoutError` (57014) and closes its
 * connection: the database is killed and restarts, in a second or two, with the next connection. The open transaction is
 * rolled back, committed data stays, and waiting callers keep waiting. The outcome of a COMMIT that times out is unknown.
 * In memory, the call fails the same way, but the database continues: the next caller waits for it, and work outside a
 * transaction is done.
 * - The time-out covers all messages up to the next awaited answer, and all statements of one text. It is checked every 25
 * ms. `lock_timeout` and similar settings are ignored, queries cannot be cancelled, and COPY FROM STDIN fails with 57014.
 * - No background work: the engine makes checkpoints; vacuum and statistics run only with `maintain`.
 * - Memory: about 250 MB at run time.
 * - After a failure (a full disk, an I/O error) the query fails, and the next connection restarts the database; see
 * `EngineStoppedError`.
 *
 * Guarantees in a directory with `durable`:
 *
 * - **The process is killed** (kill -9, out of memory): committed data stays, uncommitted data does not. The directory can
 * be opened again at once.
 * - **The power fails:** the same, if the operating system and the disk honor syncs. A commit returns after fdatasync of
 * the write-ahead log, checkpoints sync data files, and the log repairs torn pages: like a PostgreSQL server with
 * `fsync=on` and `wal_sync_method=fdatasync`.
 * - With `durable: false`, a killed process still loses nothing; a power failure can lose committed data and can leave a
 * database that cannot be opened.
 */
export interface EmbeddedEngine {
  readonly knex: Knex;
  /** Capabilities of storages on it that differ from those on a server. */
  readonly capabilities: Pick<StorageCapabilities, "durable" | "severalProcesses" | "parallelTransactions">;
  /** The database as a tar file, for `template`. Waits for the open transaction like a query. */
  dump(): Promise<Blob>;
  /** Runs VACUUM and ANALYZE on all tables without a time limit. Everything waits for it. Call it about daily, at a quiet time. */
  maintain(): Promise<void>;
  /**
   * Waits for the open transaction, shuts the database down and releases the directory. Rolls back work that still runs
   * after `closeTimeout`. A repeated call returns the same promise.
   */
  close(): Promise<void>;
}

const { knex: createKnex } = knexPkg;

/** How the names of schemas in a new database begin that the build has prepared, for storages of `storage-knex`. */
export const preparedSchemas = "sallyport_prepared_";

/**
 * Opens the embedded engine; see {@link EmbeddedEngine} for its guarantees.
 *
 * @throws {DirectoryLockedError} when the directory is in use, by this process or another
 * @throws {EngineStoppedError} when the database cannot start
 */
export async function openEmbeddedEngine(options: EmbeddedEngineOptions): Promise<EmbeddedEngine> {
  const { template, durable = true, checkpointBytes = 64 * 1024 * 1024, statementTimeout = 30_000 } = options;
  if (options.dataDir === "memory://") {
    return startOn(
      {
        clusterDirectory: undefined,
        template: (await newCluster(template))?.archive,
        durable: false,
        checkpointBytes,
        statementTimeout,
      },
      options,
      undefined,
    );
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
    // Explicit, so that the driver does not read them from the environment.
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
    const withConnection = (work: () => Promise<void>): Promise<void> => withKnexConnection(knex, work);
    clients = await serveLocalClients({ directory: path.dirname(lock.file), backend, withConnection, limit });
  }
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await clients?.close();
    const released = knex.destroy();
    await withinTime(released, closeTimeout);
    await backend.close(closeTimeout);
    // An aborted caller releases the connection now; a forgotten transaction never does.
    await withinTime(released, brokenEngineTimeout);
    await lock?.release();
  };
  return {
    knex,
    capabilities: { durable: lock !== undefined, severalProcesses: false, parallelTransactions: false },
    dump: () => withKnexConnection(knex, async () => new Blob([await backend.dump()])),
    maintain: () =>
      withKnexConnection(knex, async (client) => {
        await client.query("set statement_timeout = 0");
        await client.query("vacuum (analyze)").finally(() => client.query("reset statement_timeout"));
      }),
    close: () => (closed ??= close()),
  };
}

/** Milliseconds. */
const defaultCloseTimeout = 10_000;
const brokenEngineTimeout = 1_000;

async function withKnexConnection<T>(knex: Knex, work: (connection: pg.Client) => Promise<T>): Promise<T> {
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
