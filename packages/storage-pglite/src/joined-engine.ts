import { lstat, stat } from "node:fs/promises";
import path from "node:path";
import knexPkg, { type Knex } from "knex";
import type { EmbeddedEngine, EmbeddedEngineOptions } from "./embedded-engine.ts";
import { EmbeddedKnexClient } from "./embedded-knex-client.ts";
import { probeBeacon, socketPath } from "./lock/lock-beacon.ts";
import { socketName } from "./local-clients.ts";

const { knex: createKnex } = knexPkg;

export type JoinedEngine = Pick<EmbeddedEngine, "knex" | "capabilities" | "close">;

export type JoinOptions = Pick<EmbeddedEngineOptions, "dataDir" | "acquireConnectionTimeout" | "types" | "knex">;

/** Milliseconds after which an unused connection is closed, because it blocks all other users of the database. */
const idleTimeout = 50;

/**
 * Connects to the database of another process of this user on this machine that shares its directory (option
 * `sharing`). Work beyond that process's limit fails and is rolled back.
 *
 * @returns `undefined` when no process shares the directory
 */
export async function joinEmbeddedEngine(options: JoinOptions): Promise<JoinedEngine | undefined> {
  const directory = path.resolve(options.dataDir);
  if ((await probeBeacon(directory, socketName)) !== "listening") return undefined;
  await requireTrustedOwner(directory);
  const place = socketPath(directory, socketName);
  if (place === undefined) return undefined;
  const connection = {
    // The driver appends the socket name to a host that is a directory.
    host: path.dirname(place.path),
    port: 5432,
    user: "postgres",
    database: "postgres",
    ssl: false,
    ...(options.types === undefined ? {} : { types: options.types }),
  };
  const knex: Knex = createKnex({
    ...options.knex,
    client: EmbeddedKnexClient,
    connection: connection as Knex.PgConnectionConfig,
    pool: { min: 0, max: 1, idleTimeoutMillis: idleTimeout, reapIntervalMillis: idleTimeout },
    acquireConnectionTimeout: options.acquireConnectionTimeout ?? 5_000,
  });
  return {
    knex,
    capabilities: { durable: true, severalProcesses: false, parallelTransactions: false },
    close: async () => {
      await knex.destroy();
      place.release();
    },
  };
}

/**
 * Where others can write to the directory, one of them could listen there in place of the holder, and receive what is
 * written. The owner of the socket must be this user, or that of the directory.
 */
async function requireTrustedOwner(directory: string): Promise<void> {
  const [socket, { uid }] = await Promise.all([lstat(path.join(directory, socketName)), stat(directory)]);
  if (socket.isSocket() && (socket.uid === process.getuid?.() || socket.uid === uid)) return;
  throw new Error(`${path.join(directory, socketName)} belongs to another user. It is not used.`);
}
