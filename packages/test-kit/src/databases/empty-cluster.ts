import { randomUUID } from "node:crypto";
import { readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openEmbeddedEngine } from "@sallyport/storage-pglite";
import { runDirectory } from "../run-directory/run-directory.ts";

/**
 * An empty database as a template for embedded engines. It is created once per test run: creation takes seconds, a copy
 * of the template a fraction of that.
 */
export async function emptyCluster(): Promise<Blob> {
  const file = join(runDirectory(), "empty-cluster.tar");
  if ((await stat(file).catch(() => undefined)) === undefined) {
    const engine = await openEmbeddedEngine({ dataDir: "memory://" });
    const dump = await engine.dump();
    await engine.close();
    // Writes to a temporary name first, because another worker may create the same file.
    const unfinished = `${file}.${randomUUID()}`;
    await writeFile(unfinished, Buffer.from(await dump.arrayBuffer()));
    await rename(unfinished, file);
  }
  return new Blob([await readFile(file)]);
}
