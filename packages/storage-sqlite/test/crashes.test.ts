import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { KernelStorage, seesAll } from "@sallyport/storage";
import { findDriver, SqliteKernel } from "@sallyport/storage-sqlite";
import { isFullRun } from "@sallyport/test-kit/scope";

/** Whether this Node can open SQLite. */
const hasDriver = (() => {
  try {
    return Boolean(findDriver());
  } catch {
    return false;
  }
})();

/** Writes objects without an end, and prints the id of each acknowledged one. */
const writer = `
  import { KernelStorage } from "@sallyport/storage";
  import { openKernel } from "@sallyport/storage-sqlite";
  const storage = new KernelStorage(await openKernel({ file: process.argv[1] }, {}));
  await storage.migrate();
  for (let number = 0; ; number += 1) {
    const [{ id }] = await storage.repositories.objects.insert([{ className: "File", attributes: { Name: String(number) } }]);
    process.stdout.write(id + "\\n");
  }`;

/** Runs the writer until it has acknowledged some objects, and kills it. Returns their ids. */
async function writeUntilKilled(file: string, count: number): Promise<string[]> {
  const args = ["--input-type=module", "--eval", writer, file];
  const child: ChildProcess = spawn(process.execPath, args, {
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ids: string[] = [];
  for await (const id of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    ids.push(id);
    if (ids.length === count) child.kill("SIGKILL");
  }
  return ids;
}

// Node 20 has no SQLite of its own.
(hasDriver ? test : test.skip)(
  "acknowledged writes survive the death of the process",
  async () => {
    const directory = await mkdtemp(join(tmpdir(), "sallyport-sqlite-"));
    const file = join(directory, "data.db");
    const acknowledged: string[] = [];
    for (let kill = 0; kill < (isFullRun ? 20 : 3); kill += 1)
      acknowledged.push(...(await writeUntilKilled(file, 20 + 7 * kill)));
    const storage = new KernelStorage(new SqliteKernel(file, {}, findDriver()));
    const found = await storage.repositories.objects.outlines(acknowledged, seesAll);
    await storage.close();
    await rm(directory, { recursive: true });
    expect(acknowledged.length).toBeGreaterThan(60);
    expect(found.map(({ id }) => id).toSorted()).toEqual(acknowledged.toSorted());
  },
  300_000,
);

test("refuses an option that names no file", async () => {
  const { openKernel } = await import("@sallyport/storage-sqlite");
  for (const file of [undefined, 7, "", ":memory:", "a\0b"])
    expect(() => openKernel({ file }, {})).toThrow('The option "file" must be the path of a file.');
});
