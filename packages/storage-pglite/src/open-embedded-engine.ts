import { mkdir } from "node:fs/promises";
import path from "node:path";
import knexPkg, { type Knex } from "knex";
import type pg from "pg";
import { EmbeddedBackend } from "./backend/embedded-backend.ts";
import type { WorkerSettings } from "./backend/worker-messages.ts";
import { prepareCluster } from "./directory/prepare-cluster.ts";
import type { EmbeddedEngine, EmbeddedEngineOptions } from "./embedded-engine.ts";
import { EmbeddedKnexClient } from "./embedded-knex-client.ts";
import { lockDirectory, type DirectoryLock } from "./lock/lock-directory.ts";
import { type LocalClients, serveLocalClients } from "./sharing/local-clients.ts";
import { WireSocket } from "./wire/wire-socket.ts";
import { withinTime } from "./within-time.ts";

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
