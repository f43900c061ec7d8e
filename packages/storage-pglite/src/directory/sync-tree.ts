import { open, readdir } from "node:fs/promises";
import { join } from "node:path";

/** Waits until the disk has a directory with all that is in it. Links are not followed. */
export async function syncTree(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await syncTree(path);
    else if (entry.isFile()) await syncPath(path);
  }
  await syncPath(directory);
}

/** Waits until the disk has a file, or the names in a directory. */
export async function syncPath(path: string): Promise<void> {
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
