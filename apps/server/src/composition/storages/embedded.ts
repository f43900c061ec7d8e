import { statfsSync } from "node:fs";
import { types } from "node:util";
import type { JoinedEngine, JoinOptions } from "@sallyport/storage-pglite";
import { forbiddenBecause, type DatabaseConfiguration, type EmbeddedStorage } from "../../configuration/index.ts";
import { StartError } from "../start-error.ts";
import type { SqlEngine } from "./sql-engine.ts";

/** Milliseconds. The embedded engine has no autovacuum, so deleted rows would occupy space forever. */
const upkeepInterval = 6 * 60 * 60_000;

/** Milliseconds for an engine restart, with a margin. */
const restartTime = 5_000;

/** Maximum milliseconds for which a command uses a server's database. Requests wait until it ends. */
const sharing = { limit: 5_000 };

/** The caller receives the errors. Knex would also print them. */
const silent = { warn() {}, error() {}, deprecate() {}, debug() {} };

/**
 * Opens Postgres inside this process on a data directory. Commands on this machine can join it. Throws if another
 * process uses the directory or if it is unusable.
 */
export async function openEmbedded(storage: EmbeddedStorage): Promise<SqlEngine> {
  return open(storage, { sharing });
}

async function open(
  storage: EmbeddedStorage,
  shared: { readonly sharing?: { readonly limit: number } },
): Promise<SqlEngine> {
  const { dataDir, statementTimeout } = storage;
  const { openEmbeddedEngine } = await import("@sallyport/storage-pglite");
  const engine = await openEmbeddedEngine({ ...optionsOf(storage), statementTimeout, ...shared }).catch(
    (error: unknown) => {
      throw directoryDiagnostics(error, dataDir);
    },
  );
  // The next interval retries a failed run. Requests report the same failure.
  const upkeep = setInterval(() => void engine.maintain().catch(() => {}), upkeepInterval).unref();
  const close = (): Promise<void> => {
    clearInterval(upkeep);
    return engine.close();
  };
  return sqlEngine({ ...engine, close }, dataDir);
}

/** Opens the engine for a command, or joins a server of the same user that uses the directory. */
export async function openOrJoinEmbedded(storage: EmbeddedStorage): Promise<SqlEngine> {
  const { dataDir } = storage;
  const { DirectoryLockedError, joinEmbeddedEngine } = await import("@sallyport/storage-pglite");
  try {
    return await open(storage, {});
  } catch (error) {
    if (!(error instanceof DirectoryLockedError)) throw error;
    const joined = await joinEmbeddedEngine(optionsOf(storage));
    if (joined === undefined) throw error;
    return sqlEngine(joined, dataDir);
  }
}

/** Milliseconds that a call waits for the connection. They cover a statement timeout and the engine restart after it. */
export function acquireTimeoutOf({ statementTimeout }: Pick<EmbeddedStorage, "statementTimeout">): number {
  return statementTimeout + restartTime;
}

function optionsOf(storage: EmbeddedStorage): JoinOptions {
  const { dataDir } = storage;
  return { dataDir, acquireConnectionTimeout: acquireTimeoutOf(storage), knex: { log: silent } };
}

async function sqlEngine({ knex, capabilities, close }: JoinedEngine, name: string): Promise<SqlEngine> {
  const { KnexStorage, postgresRecovery } = await import("@sallyport/storage-knex");
  const { preparedSchemas } = await import("@sallyport/storage-pglite");
  const storage: SqlEngine["storage"] = ({ schema }) =>
    new KnexStorage({ knex, schema, capabilities, preparedSchemas });
  const recovery = (schema: string) => postgresRecovery(knex, schema);
  return { name, pool: null, facts: null, openWriters: null, replicas: null, recovery, storage, close };
}

const reasons: ReadonlyMap<unknown, string> = new Map([
  ["EEXIST", "it is a file, not a directory"],
  ["ENOTDIR", "a part of its path is a file, not a directory"],
  ["EROFS", "its file system is read-only"],
  ["ENOSPC", "its file system is full"],
  ["EDQUOT", "the disk quota of this user is exceeded"],
]);

/** Bytes: two WAL segments that the engine allocates. */
const needed = 32 * 1024 * 1024;

/** Explains a file system error on a data directory. Other errors are returned unchanged. */
export function directoryDiagnostics(error: unknown, dataDir: string): unknown {
  const reason = isFull(dataDir) ? reasons.get("ENOSPC") : reasonOf(error, dataDir);
  if (reason === undefined) return error;
  return new StartError(`The data directory ${dataDir} cannot be used: ${reason}. Set DATA_DIR to another directory.`, {
    cause: error,
  });
}

function reasonOf(error: unknown, dataDir: string): string | undefined {
  if (!types.isNativeError(error) || !("syscall" in error)) return undefined;
  const { code } = error as NodeJS.ErrnoException;
  if (code === "EACCES" || code === "EPERM") return `this user has no write permission${forbiddenBecause(dataDir)}`;
  return reasons.get(code) ?? `the operating system refuses it (${code ?? error.message})`;
}

/** The engine reports a full disk only as a stop. */
function isFull(dataDir: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dataDir);
    return bavail * bsize < needed;
  } catch {
    return false;
  }
}

/** Data directories in which opening creates a database, which takes seconds. */
export async function directoriesWithoutDatabase(
  databases: readonly Pick<DatabaseConfiguration, "storage">[],
): Promise<string[]> {
  const directories = new Set(
    databases.flatMap(({ storage }) => (storage?.engine === "embedded" ? [storage.dataDir] : [])),
  );
  if (directories.size === 0) return [];
  const { containsDatabase } = await import("@sallyport/storage-pglite");
  const missing: string[] = [];
  for (const directory of directories) if (!(await containsDatabase(directory))) missing.push(directory);
  return missing;
}
