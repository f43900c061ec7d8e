import { cpSync } from "node:fs";
import { mkdtemp, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { runDirectory } from "@sallyport/test-kit/run-directory/run-directory";
import { loadConfiguration, startServer } from "../src/index.ts";
import { buildIndexes } from "./build-indexes.ts";
import { testEnvironment, tuningOf } from "./test-environment.ts";

/**
 * Puts the demo of the embedded engine into a directory, in the state after a server has seeded it and built its
 * indexes. The demo is made once per run, which takes seconds, and copied afterwards.
 */
export async function copyEmbeddedDemo(directory: string): Promise<void> {
  const cluster = join(runDirectory(), "embedded-demo");
  if (!(await exists(cluster))) await makeEmbeddedDemo(cluster);
  // The asynchronous copy of a thousand small files takes more than twice the CPU.
  cpSync(cluster, join(directory, "cluster"), { recursive: true });
}

async function makeEmbeddedDemo(cluster: string): Promise<void> {
  const directory = await mkdtemp(join(runDirectory(), "new-"));
  const server = await startServer(
    loadConfiguration({ environment: { ...testEnvironment, DATA_DIR: directory } }),
    undefined,
    undefined,
    undefined,
    tuningOf({}),
  );
  await buildIndexes(server);
  await server.close();
  try {
    await rename(join(directory, "cluster"), cluster);
  } catch (error) {
    // Another worker was faster.
    if (!["ENOTEMPTY", "EEXIST"].includes(String((error as NodeJS.ErrnoException).code))) throw error;
  }
  await rm(directory, { recursive: true });
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
