import { setImmediate } from "node:timers/promises";
import { administrationOf, DeleteObject, PurgeRecycled, RestoreObject, ServiceError } from "../../src/index.ts";
import {
  byId,
  codeOf,
  type FileFixture,
  finishText,
  incoming,
  openFileFixture,
  storeText,
  textOf,
  uploadText,
} from "./file-fixture.ts";

const day = 86_400_000;
let f: FileFixture;

beforeEach(async () => {
  f = await openFileFixture();
});

const collect = async () => (await f.collect.collectFiles(administrationOf(f.database))).removed;

describe("the collector", () => {
  const remove = (id: string, recycled: boolean) =>
    new DeleteObject().deleteObject(f.anna, byId(id), { recycled, expectedVersions: null });
  const bytesCounted = async () => {
    const all = await f.r.records.list<number>("storedBytes", { after: null, limit: 20 });
    return all.reduce((sum, { value }) => sum + value, 0);
  };

  const abandon = async (file: string) => {
    await f.r.records.put("detachedFile", file, true);
    await f.files.create(file);
  };

  test("keeps live files, open uploads and everything younger than a day", async () => {
    f = await openFileFixture({ uploadLifetime: 10 * day });
    const id = await storeText(f);
    await f.begin.beginUpload(f.anna);
    await abandon("0".repeat(32));
    f.clock.ahead += day - 60_000;
    expect(await collect()).toBe(0);
    f.clock.ahead += 120_000;
    expect(await collect()).toBe(1);
    expect(f.files.names).toHaveLength(2);
    expect((await f.r.records.list("file", { after: null, limit: 2 })).map(({ owner }) => owner)).toEqual([id]);
  });

  test("removes expired uploads", async () => {
    const { uploadId } = await f.begin.beginUpload(f.anna);
    await f.chunk.storeChunk(f.anna, uploadId, null, incoming("abc"));
    f.clock.ahead += 2 * day;
    expect(await bytesCounted()).toBe(3);
    expect(await collect()).toBe(1);
    expect(f.files.names).toEqual([]);
    expect(await bytesCounted()).toBe(0);
    expect(await f.r.records.list("segment", { after: null, limit: 1 })).toEqual([]);
  });

  test("removes replaced bytes and keeps the new ones", async () => {
    const id = await storeText(f, "hello");
    await finishText(f, await uploadText(f, "new bytes"), id);
    f.clock.ahead += 2 * day;
    expect(await collect()).toBe(1);
    f.clock.ahead = 0;
    expect(await textOf(f, id)).toBe("new bytes");
    expect(await bytesCounted()).toBe(9);
  });

  test("keeps the bytes of recycled objects until they cannot be restored", async () => {
    const [id, deleted] = [await storeText(f, "kept"), await storeText(f, "gone")];
    await remove(id, true);
    await remove(deleted, false);
    f.clock.ahead += 2 * day;
    expect(await collect()).toBe(1);
    f.clock.ahead = 0;
    await new RestoreObject().restoreObject(f.anna, byId(id));
    expect(await textOf(f, id)).toBe("kept");
    await remove(id, true);
    await new PurgeRecycled().purgeRecycled(
      { ...f.anna, principal: { ...f.anna.principal, administrator: true } },
      byId(id),
    );
    f.clock.ahead += 2 * day;
    expect(await collect()).toBe(1);
    expect(await f.r.records.list("file", { after: null, limit: 1 })).toEqual([]);
  });

  test("removes what an interrupted request left", async () => {
    f.files.write = () => new Promise(() => {});
    void storeText(f).catch(() => {});
    while (f.files.names.length === 0) await setImmediate();
    f.clock.ahead += 2 * day;
    expect(await collect()).toBe(1);
    expect(await f.r.records.list("detachedFile", { after: null, limit: 1 })).toEqual([]);
  });

  test("keeps files of another database, such as those of the database before its restore", async () => {
    await storeText(f);
    f.clock.ahead += 2 * day;
    const other = await openFileFixture();
    const database = Object.create(other.database, { files: { value: f.files } }) as typeof other.database;
    expect(await other.collect.collectFiles(administrationOf(database))).toEqual({ removed: 0, unknown: 1 });
    expect(f.files.names).toHaveLength(1);
  });

  test("visits all pages", async () => {
    for (let index = 0; index < 450; index += 1) await abandon(String(index).padStart(32, "0"));
    f.clock.ahead += 2 * day;
    expect(await collect()).toBe(450);
  });

  test("finds the file again if the store fails", async () => {
    await abandon("1".repeat(32));
    f.clock.ahead += 2 * day;
    const { remove: removeFile } = f.files;
    f.files.remove = () => Promise.reject(new ServiceError(709));
    expect(await codeOf(collect())).toBe(709);
    f.files.remove = removeFile.bind(f.files);
    expect(await collect()).toBe(1);
  });
});
