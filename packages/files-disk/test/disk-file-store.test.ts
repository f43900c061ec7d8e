import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileStoreConformance } from "@sallyport/conformance-kit";
import { DiskFileStore } from "@sallyport/files-disk";
import { fileStoreUnderTest } from "@sallyport/test-kit/files/file-store-under-test";

await fileStoreConformance(fileStoreUnderTest("DiskFileStore"));

describe("files on disk", () => {
  const file = `ab${"0".repeat(30)}`;
  const segment = "c".repeat(32);
  const name = { file, segment };

  let scratch: string;
  let directory: string;
  let folder: string;
  let store: DiskFileStore;

  beforeEach(async () => {
    scratch = await mkdtemp(join(tmpdir(), "sallyport-disk-"));
    directory = join(scratch, "files");
    folder = join(directory, "ab", file);
    store = new DiskFileStore(directory);
    await store.prepare();
  });

  afterEach(() => rm(scratch, { recursive: true, force: true }));

  async function* content(text = "Hello", beforeEnd = async () => {}) {
    yield Buffer.from(text);
    await beforeEnd();
  }

  async function textOf(from: DiskFileStore, length = 5): Promise<string> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of await from.read(name, { offset: 0, length })) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  }

  test("has the documented layout and private modes", async () => {
    await store.create(file);
    await store.write(name, content());
    expect(await readFile(join(folder, segment), "utf8")).toBe("Hello");
    const modes = await Promise.all(
      [directory, join(directory, "ab"), folder, join(folder, segment)].map(
        async (path) => (await stat(path)).mode & 0o777,
      ),
    );
    expect(modes).toEqual([0o700, 0o700, 0o700, 0o600]);
  });

  test("fills a temporary file, and leaves none after success and failure", async () => {
    await store.create(file);
    const failing = content("Hello", async () => {
      expect(await readdir(folder)).toEqual([`${segment}.part`]);
      throw new Error("lost");
    });
    await expect(store.write(name, failing)).rejects.toThrow("lost");
    expect(await readdir(folder)).toEqual([]);
    await store.write(name, content());
    expect(await readdir(folder)).toEqual([segment]);
  });

  describe("prepare", () => {
    test("makes the directory and its parents, and accepts one that is there", async () => {
      const other = new DiskFileStore(join(scratch, "some", "other"));
      await other.prepare();
      await other.create(file);
      await other.prepare();
      expect(await other.list({ after: null, limit: 5 })).toMatchObject([{ file }]);
    });

    test.each([
      ["a file is in the way", () => join(scratch, "file")],
      ["a file is the parent", () => join(scratch, "file", "files")],
      ["a link leads nowhere", () => join(scratch, "link")],
    ])("throws 700 if %s", async (_case, path) => {
      await writeFile(join(scratch, "file"), "");
      await symlink(join(scratch, "nowhere"), join(scratch, "link"));
      await expect(new DiskFileStore(path()).prepare()).rejects.toMatchObject({ code: 700 });
    });
  });

  test.each([
    ["its first folder", () => join(directory, "ab")],
    ["its folder", () => folder],
  ])("creating throws 700 if a file is in the way of %s", async (_case, path) => {
    await mkdir(join(directory, "ab"));
    await rm(path(), { recursive: true, force: true });
    await writeFile(path(), "");
    await expect(store.create(file)).rejects.toMatchObject({ code: 700, detail: expect.not.stringContaining(scratch) });
  });

  test("no call makes the directory again", async () => {
    await rm(directory, { recursive: true });
    await expect(store.create(file)).rejects.toMatchObject({ code: 709 });
    await expect(store.write(name, content())).rejects.toMatchObject({ code: 709 });
    await expect(store.freeBytes()).rejects.toMatchObject({ code: 709 });
    await writeFile(directory, "");
    await expect(store.create(file)).rejects.toMatchObject({ code: 709 });
    expect(await readdir(scratch)).toEqual(["files"]);
  });

  test.each([
    ["the directory", () => directory, 709],
    ["the folder of the file", () => folder, 702],
    ["the first folder", () => join(directory, "ab"), 702],
  ])("a write throws if %s is renamed in the middle", async (_case, path, code) => {
    await store.create(file);
    const writing = store.write(
      name,
      content("Hello", () => rename(path(), join(scratch, "moved"))),
    );
    await expect(writing).rejects.toMatchObject({ code });
  });

  test("a write throws 702 if a folder is in the way of the segment, and leaves no temporary file", async () => {
    await store.create(file);
    await mkdir(join(folder, segment));
    await expect(store.write(name, content())).rejects.toMatchObject({ code: 702 });
    expect(await readdir(folder)).toEqual([segment]);
  });

  // The superuser writes into folders of any mode.
  const asUser = process.getuid?.() === 0 ? test.skip : test;

  asUser("a write into a read-only folder throws 702", async () => {
    await store.create(file);
    await chmod(folder, 0o500);
    await expect(store.write(name, content())).rejects.toMatchObject({ code: 702 });
    await chmod(folder, 0o700);
  });

  describe("symbolic links", () => {
    const outside = () => join(scratch, "outside");

    beforeEach(async () => {
      await writeFile(outside(), "secret");
      await store.create(file);
    });

    test("are not read as segments", async () => {
      await symlink(outside(), join(folder, segment));
      await expect(textOf(store)).rejects.toMatchObject({ code: 707 });
    });

    test("are replaced by segments, not followed", async () => {
      await symlink(outside(), join(folder, segment));
      await store.write(name, content());
      expect(await textOf(store)).toBe("Hello");
      expect(await readFile(outside(), "utf8")).toBe("secret");
    });

    test("refuse a write in the place of its temporary file", async () => {
      await symlink(outside(), join(folder, `${segment}.part`));
      await expect(store.write(name, content())).rejects.toMatchObject({ code: 702 });
      expect(await readFile(outside(), "utf8")).toBe("secret");
    });

    test("are removed, not followed", async () => {
      await mkdir(join(scratch, "folder"));
      await writeFile(join(scratch, "folder", segment), "secret");
      await rm(folder, { recursive: true });
      await symlink(join(scratch, "folder"), folder);
      await store.remove({ file });
      expect(await readdir(join(directory, "ab"))).toEqual([]);
      expect(await readFile(join(scratch, "folder", segment), "utf8")).toBe("secret");
    });
  });

  test("lists folders of files only", async () => {
    await store.create(file);
    await mkdir(join(directory, "lost+found"));
    await mkdir(join(directory, "ac"));
    await writeFile(join(directory, "ad"), "");
    await writeFile(join(directory, "ac", `ac${"0".repeat(30)}`), "");
    await mkdir(join(directory, "ac", `ae${"0".repeat(30)}`));
    expect(await store.list({ after: null, limit: 10 })).toMatchObject([{ file }]);
  });

  test("knows the free bytes of its file system", async () => {
    expect(await store.freeBytes()).toBeGreaterThan(0);
  });

  describe("a killed process", () => {
    const writer = join(import.meta.dirname, "writer.mjs");
    const lengthOf = (index: number) => 1 + ((index * 7_919) % 300_000);

    /** Starts a process that writes without end, and kills it after this many acknowledged segments. */
    async function killedAfter(acknowledgements: number): Promise<ReadonlySet<string>> {
      const child: ChildProcess = spawn(process.execPath, [writer, directory, file], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const exit = once(child, "exit");
      const acknowledged = new Set<string>();
      for await (const line of createInterface({ input: child.stdout! })) {
        acknowledged.add(line);
        if (acknowledged.size === acknowledgements) child.kill("SIGKILL");
      }
      expect((await exit)[1]).toBe("SIGKILL");
      return acknowledged;
    }

    test.each([1, 37, 150])("has all acknowledged segments, and no incomplete one: after %i", async (count) => {
      await store.create(file);
      const acknowledged = await killedAfter(count);
      const found = (await readdir(folder)).filter((each) => !each.endsWith(".part"));
      expect(found).toEqual(expect.arrayContaining([...acknowledged]));
      // A segment can be complete before its acknowledgement arrives: one per concurrent write.
      expect(found.length).toBeLessThanOrEqual(acknowledged.size + 8);
      for (const each of found) {
        const index = Number.parseInt(each, 16);
        const bytes = await readFile(join(folder, each));
        expect(bytes.equals(Buffer.alloc(lengthOf(index), index))).toBe(true);
      }
      const reopened = new DiskFileStore(directory);
      expect(await reopened.list({ after: null, limit: 5 })).toMatchObject([{ file }]);
      await reopened.remove({ file });
      expect(await readdir(join(directory, "ab"))).toEqual([]);
    });
  });
});
