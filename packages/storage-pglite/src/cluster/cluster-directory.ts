import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { access, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { EngineWorker } from "../backend/engine-worker.ts";
import { isSegment } from "./identity.ts";
import { newCluster } from "./new-cluster.ts";
import type { ArchivedFile } from "./tar-archive.ts";

interface ClusterOrigin {
  /** A dumped cluster to start from. */
  readonly template: Blob | undefined;
  readonly durable: boolean;
}

/** Whether a data directory contains a database, so that opening it does not create one. */
export async function containsDatabase(dataDirectory: string): Promise<boolean> {
  return exists(clusterIn(dataDirectory));
}

/**
 * Returns the cluster directory in a data directory and creates it if missing. It gets its final name only when it is
 * complete and, if durable, on the disk. So an interrupted creation never looks like a database.
 *
 * @throws {Error} when a database exists and a template is given
 */
export async function prepareCluster(dataDirectory: string, { template, durable }: ClusterOrigin): Promise<string> {
  const cluster = clusterIn(dataDirectory);
  if (await exists(cluster)) {
    if (template !== undefined)
      throw new Error(`${dataDirectory} already contains a database; a template cannot be loaded into it`);
    return cluster;
  }
  const incomplete = `${cluster}.new`;
  await rm(incomplete, { recursive: true, force: true });
  const copy = await newCluster(template);
  if (copy === undefined) await initialize(incomplete);
  else writeFiles(incomplete, copy.files);
  if (durable) await syncTree(incomplete);
  await rename(incomplete, cluster);
  if (durable) await syncPath(dataDirectory);
  return cluster;
}

/** Lets the engine run `initdb`. */
async function initialize(clusterDirectory: string): Promise<void> {
  const worker = await EngineWorker.start({
    clusterDirectory,
    template: undefined,
    durable: false,
    checkpointBytes: Infinity,
    statementTimeout: 0,
  });
  await worker.close(shutdownTimeout);
}

/** Writes without pauses: asynchronous calls for hundreds of small files take more than twice the processor time. */
function writeFiles(directory: string, files: readonly ArchivedFile[]): void {
  mkdirSync(directory, { mode: 0o700 });
  for (const { path, isDirectory, data } of files) {
    if (isDirectory) mkdirSync(join(directory, path), { mode: 0o700, recursive: true });
    else writeFileSync(join(directory, path), data, { mode: 0o600 });
    if (isSegment(path)) fillSegment(join(directory, path), data.length);
  }
}

/**
 * Adds the zeros that the archive leaves out. Postgres allocates whole segments, so that a commit waits for the disk
 * without a change of the size of a file.
 */
function fillSegment(file: string, length: number): void {
  const zeros = Buffer.alloc(256 * 1024);
  for (let at = length; at < segmentSize; at += zeros.length) appendFileSync(file, zeros.subarray(0, segmentSize - at));
}

/** Bytes of a segment of the write-ahead log. */
const segmentSize = 16 * 1024 * 1024;

/** Milliseconds. After a time-out, the first start recovers. */
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

/** Syncs a directory and its whole content to the disk. Does not follow links. */
async function syncTree(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await syncTree(path);
    else if (entry.isFile()) await syncPath(path);
  }
  await syncPath(directory);
}

/** Syncs a file, or the entries of a directory, to the disk. */
async function syncPath(path: string): Promise<void> {
  const handle = await open(path, "r").catch(ignoreWhereUnsupported);
  if (handle === undefined) return;
  try {
    await handle.sync().catch(ignoreWhereUnsupported);
  } finally {
    await handle.close();
  }
}

/** Windows cannot open directories or sync files opened for reading. */
function ignoreWhereUnsupported(error: unknown): undefined {
  if (process.platform !== "win32") throw error;
}
