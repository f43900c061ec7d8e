import { access, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { EngineWorker } from "./backend/engine-worker.ts";

interface ClusterOrigin {
  /** A dumped cluster to begin with. */
  readonly template: Blob | undefined;
  readonly durable: boolean;
}

/** Whether a data directory holds a database, so that opening it will not create one. */
export async function holdsDatabase(dataDirectory: string): Promise<boolean> {
  return exists(clusterIn(dataDirectory));
}

/**
 * The directory of the database cluster in a data directory, created when there is none. It gets its name when it is
 * complete and, if it is to be durable, on the disk: a creation that was interrupted leaves nothing that could be
 * mistaken for a database.
 *
 * @throws {Error} when there is a database already and a template is given
 */
export async function prepareCluster(dataDirectory: string, { template, durable }: ClusterOrigin): Promise<string> {
  const cluster = clusterIn(dataDirectory);
  if (await exists(cluster)) {
    if (template !== undefined)
      throw new Error(`${dataDirectory} holds a database already; a template cannot be loaded into it`);
    return cluster;
  }
  const incomplete = `${cluster}.new`;
  await rm(incomplete, { recursive: true, force: true });
  const settings = {
    clusterDirectory: incomplete,
    template,
    durable: false,
    checkpointBytes: Infinity,
    statementTimeout: 0,
  };
  const worker = await EngineWorker.start(settings);
  await worker.close(shutdownTimeout);
  if (durable) await syncTree(incomplete);
  await rename(incomplete, cluster);
  if (durable) await syncPath(dataDirectory);
  return cluster;
}

/** Milliseconds. Were it exceeded, the first start would recover. */
const shutdownTimeout = 60_000;

function clusterIn(dataDirectory: string): string {
  return join(dataDirectory, "cluster");
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Waits until the disk has a directory with all that is in it. Links are not followed. */
async function syncTree(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await syncTree(path);
    else if (entry.isFile()) await syncPath(path);
  }
  await syncPath(directory);
}

/** Waits until the disk has a file, or the names in a directory. */
async function syncPath(path: string): Promise<void> {
  const handle = await open(path, "r").catch(ignoreWhereUnsupported);
  if (handle === undefined) return;
  try {
    await handle.sync().catch(ignoreWhereUnsupported);
  } finally {
    await handle.close();
  }
}

/** Windows opens no directories and synchronizes nothing opened for reading. */
function ignoreWhereUnsupported(error: unknown): undefined {
  if (process.platform !== "win32") throw error;
}
