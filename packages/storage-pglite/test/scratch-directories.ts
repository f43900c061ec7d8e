import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Directories of a test file, removed at its end. */
export function scratchDirectories(): () => Promise<string> {
  const made: string[] = [];
  afterAll(() => Promise.all(made.map((directory) => rm(directory, { recursive: true, force: true }))));
  return async () => {
    const directory = await mkdtemp(join(tmpdir(), "sallyport-pglite-"));
    made.push(directory);
    return directory;
  };
}
