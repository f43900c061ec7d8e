import { randomUUID } from "node:crypto";
import { readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openEmbeddedEngine } from "@sallyport/storage-pglite";
import { runDirectory } from "../run-directory/run-directory.ts";

/**
 * An empty database, as the template of an embedded engine. It is made once per test run, because making one takes seconds and copying
 * a template a fraction of that.
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
