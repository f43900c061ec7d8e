import { randomUUID } from "node:crypto";
import { readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openEmbeddedEngine } from "@sallyport/storage-pglite";
import { runDirectory } from "./run-directory.ts";

/**
 * A database with nothing in it, as the template of an engine. It is made once per run of the tests: to make one takes seconds of
 * computing, to begin with a template a fraction of that.
 */
export async function emptyCluster(): Promise<Blob> {
  const file = join(runDirectory(), "empty-cluster.tar");
  if ((await stat(file).catch(() => undefined)) === undefined) {
    const engine = await openEmbeddedEngine({ dataDir: "memory://" });
    const dump = await engine.dump();
    await engine.close();
    // Another worker may do the same.
    const unfinished = `${file}.${randomUUID()}`;
    await writeFile(unfinished, Buffer.from(await dump.arrayBuffer()));
    await rename(unfinished, file);
  }
  return new Blob([await readFile(file)]);
}
