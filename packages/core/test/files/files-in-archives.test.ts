import { ThreadHashes } from "@sallyport/crypto";
import { MemoryStorage } from "@sallyport/storage-memory";
import type { ArchiveRecord } from "@sallyport/storage";
import { administrationOf, type ArchivedFile, dumpFiles, restoreFiles, checkFiles } from "../../src/index.ts";
import {
  allOf,
  bytesCounted,
  codeOf,
  removeUnused,
  collected,
  type FileFixture,
  finishText,
  openFileFixture,
  removeObject,
  sha256,
  storeText,
  uploadText,
} from "./file-fixture.ts";
import { random, using } from "../fixture.ts";

let f: FileFixture;

beforeEach(async () => {
  f = await openFileFixture();
});

const collect = () => removeUnused(f);
const remove = (id: string, recycled: boolean) => removeObject(f, id, recycled);
const hashes = new ThreadHashes();

describe("files in archives", () => {
  const dump = () => dumpFiles({ database: f.database, services: { hashes } }, f.database.storage.archive.export());

  async function* singles(parts: ReturnType<typeof dump>): AsyncGenerator<ArchiveRecord | ArchivedFile> {
    for await (const part of parts) yield* "section" in part ? [part] : part;
  }

  const restore = (to: FileFixture, records: AsyncIterable<ArchiveRecord | ArchivedFile> = singles(dump())) =>
    to.database.storage.archive.import(restoreFiles({ database: to.database, services: { random, hashes } }, records));

  test("are restored with their objects and counts, without bytes that no object has", async () => {
    const [id, replaced, deleted] = [await storeText(f), await storeText(f), await storeText(f, "gone")];
    const [recycled, known] = [await storeText(f, "recycled"), await storeText(f, "gone before")];
    await remove(recycled, true);
    await remove(known, false);
    await collect();
    // The collector has not seen it.
    await remove(deleted, false);
    await finishText(f, await uploadText(f, "new bytes"), replaced);
    await uploadText(f, "unfinished");
    const target = await openEmpty();
    expect(await restore(target)).toBe("imported");
    expect(target.files.names).toHaveLength(3);
    expect(await bytesCounted(target.r)).toBe("hello".length + "new bytes".length + "recycled".length);
    expect(await target.r.records.list("detachedFile", { after: null, limit: 9 })).toEqual([]);
    const check = await allOf(checkFiles(using(administrationOf(target.database), { hashes })));
    expect(check.map(({ objectId, problem }) => [objectId, problem]).toSorted()).toEqual(
      [id, replaced, recycled].toSorted().map((each) => [each, null]),
    );
    for (const each of await target.r.records.list("file", { after: null, limit: 9 })) {
      const [original] = await f.r.records.get("file", [each.id]);
      expect(each).toMatchObject({ owner: original?.owner, value: original?.value, createdAt: original?.createdAt });
    }
  });

  /** An empty database with an empty store. */
  async function openEmpty(): Promise<FileFixture> {
    const other = await openFileFixture();
    const storage = new MemoryStorage();
    await storage.migrate();
    const database = Object.create(other.database, { storage: { value: storage } }) as typeof other.database;
    return { ...other, database, r: storage.repositories };
  }

  test("are read although they are replaced after the snapshot", async () => {
    const id = await storeText(f, "before");
    const texts: string[] = [];
    for await (const record of singles(dump())) {
      if (record.section === "settings") await finishText(f, await uploadText(f, "after"), id);
      if (record.section === "settings") await collect();
      if (record.section === "files") texts.push(await collected(record.bytes));
    }
    expect(texts).toEqual(["before"]);
  });

  test.each([
    ["missing", async () => f.files.remove({ file: f.files.names[0] ?? "" })],
    [
      "damaged",
      async () => {
        const { read } = f.files;
        f.files.read = async (name, { offset, length }) =>
          read.call(f.files, name, { offset: offset + 1, length: length - 1 });
      },
    ],
  ])("fail to be dumped with %s bytes", async (_how, damage) => {
    const id = await storeText(f);
    await damage();
    await expect(restore(await openEmpty())).rejects.toMatchObject({
      code: 707,
      detail: `The bytes of the file "plan.txt" (object ${id}) are missing or damaged.`,
    });
  });

  test("leave nothing in the store if the restore fails", async () => {
    for (const text of ["one", "two"]) await storeText(f, text);
    const target = await openEmpty();
    const failing = async function* (work: () => void) {
      for await (const record of singles(dump())) yield record;
      work();
    };
    const fail = () => {
      throw new RangeError("The archive ends.");
    };
    await expect(restore(target, failing(fail))).rejects.toThrow(RangeError);
    const altered = async function* () {
      for await (const record of singles(dump()))
        yield record.section === "files" ? { ...record, value: { ...record.value, sha256: sha256("other") } } : record;
    };
    expect(await codeOf(restore(target, altered()))).toBe(707);
    expect(target.files.names).toEqual([]);
    expect(await restore(target)).toBe("imported");
  });

  test("are not restored into a store with files, and those stay", async () => {
    await storeText(f);
    const target = await openEmpty();
    await target.files.create("3".repeat(32));
    expect(await codeOf(restore(target))).toBe(700);
    expect(target.files.names).toEqual(["3".repeat(32)]);
  });
});
