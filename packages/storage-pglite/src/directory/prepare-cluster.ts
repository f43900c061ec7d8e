import { access, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { EngineWorker } from "../backend/engine-worker.ts";
import { syncPath, syncTree } from "./sync-tree.ts";

export interface ClusterOrigin {
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
  await worker.close(shutdownPatience);
  if (durable) await syncTree(incomplete);
  await rename(incomplete, cluster);
  if (durable) await syncPath(dataDirectory);
  return cluster;
}

/** Milliseconds. Were it exceeded, the first start would recover. */
const shutdownPatience = 60_000;

function clusterIn(dataDirectory: string): string {
  return join(dataDirectory, "cluster");
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
