import { ThreadHashes } from "@sallyport/crypto";
import { jest } from "@jest/globals";
import { ServiceError } from "@sallyport/storage";
import { until } from "@sallyport/test-kit/jest/until";
import {
  administrationOf,
  beginUpload,
  storeChunk,
  restoreObject,
  purgeRecycled,
  collectFiles,
  collectNow,
  listFiles,
  checkFiles,
  unknownFiles,
} from "../../src/index.ts";
import {
  allOf,
  byId,
  bytesCounted,
  codeOf,
  type FileFixture,
  finishText,
  incoming,
  openFileFixture,
  removeObject,
  sha256,
  SlowBytes,
  storeText,
  textOf,
  uploadText,
  removeUnused,
} from "./file-fixture.ts";
import { using } from "../fixture.ts";

const day = 86_400_000;
let f: FileFixture;

beforeEach(async () => {
  f = await openFileFixture();
});

const collect = () => removeUnused(f);
const remove = (id: string, recycled: boolean) => removeObject(f, id, recycled);
const hashes = new ThreadHashes();

describe("the collector", () => {
  const abandon = async (file: string) => {
    await f.r.records.put("detachedFile", file, "kept");
    await f.files.create(file);
  };

  test("keeps live files, open uploads and everything younger than a day", async () => {
    f = await openFileFixture({ uploadLifetime: 10 * day });
    const id = await storeText(f);
    await beginUpload(f.anna);
    await abandon("0".repeat(32));
    f.clock.ahead += day - 60_000;
    expect(await collect()).toBe(0);
    f.clock.ahead += 120_000;
    expect(await collect()).toBe(1);
    expect(f.files.names).toHaveLength(2);
    expect((await f.r.records.list("file", { after: null, limit: 2 })).map(({ owner }) => owner)).toEqual([id]);
  });

  test("removes expired uploads", async () => {
    const { uploadId } = await beginUpload(f.anna);
    await storeChunk(f.anna, uploadId, null, incoming("abc"));
    f.clock.ahead += 2 * day;
    expect(await bytesCounted(f.r)).toBe(3);
    expect(await collect()).toBe(1);
    expect(f.files.names).toEqual([]);
    expect(await bytesCounted(f.r)).toBe(0);
    expect(await f.r.records.list("segment", { after: null, limit: 1 })).toEqual([]);
  });

  test("removes replaced bytes and keeps the new ones", async () => {
    const id = await storeText(f, "hello");
    const { list } = f.files;
    f.files.list = async (page) =>
      (await list.call(f.files, page)).map((each) => ({ ...each, age: each.age + 9 * day }));
    await finishText(f, await uploadText(f, "new bytes"), id);
    // However old they are: a download or a dump may read them.
    expect(await collect()).toBe(0);
    f.clock.ahead += 2 * day;
    expect(await collect()).toBe(1);
    f.clock.ahead = 0;
    expect(await textOf(f, id)).toBe("new bytes");
    expect(await bytesCounted(f.r)).toBe(9);
  });

  test("keeps the bytes of recycled objects until they cannot be restored", async () => {
    const [id, deleted] = [await storeText(f, "kept"), await storeText(f, "gone")];
    await remove(id, true);
    await remove(deleted, false);
    f.clock.ahead += 2 * day;
    expect(await collect()).toBe(0);
    f.clock.ahead += 2 * day;
    expect(await collect()).toBe(1);
    f.clock.ahead = 0;
    await restoreObject(f.anna, byId(id));
    expect(await textOf(f, id)).toBe("kept");
    await remove(id, true);
    await purgeRecycled({ ...f.anna, principal: { ...f.anna.principal, administrator: true } }, byId(id));
    expect(await collect()).toBe(0);
    f.clock.ahead += 2 * day;
    expect(await collect()).toBe(1);
    expect(await f.r.records.list("file", { after: null, limit: 1 })).toEqual([]);
  });

  test("removes what an interrupted request left", async () => {
    f.files.write = () => new Promise(() => {});
    void storeText(f).catch(() => {});
    await until(() => f.files.names.length > 0);
    f.clock.ahead += 2 * day;
    expect(await collect()).toBe(1);
    expect(await f.r.records.list("detachedFile", { after: null, limit: 1 })).toEqual([]);
  });

  test("keeps files of another database, such as those of the database before its restore", async () => {
    await storeText(f);
    f.clock.ahead += 2 * day;
    const other = await openFileFixture();
    const database = Object.create(other.database, { files: { value: f.files } }) as typeof other.database;
    expect(await collectFiles(administrationOf(database))).toEqual({
      removed: 0,
      waiting: 0,
      unknown: 1,
    });
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

  test("removes younger files on demand, and audits it", async () => {
    const events = async () =>
      (await f.r.audit.read(0, 9)).map(({ type }) => type).filter((type) => type.startsWith("files"));
    const now = (options: object) => collectNow(administrationOf(f.database), options);
    await remove(await storeText(f), false);
    expect(await now({})).toEqual({ removed: 0, waiting: 1, unknown: 0 });
    expect(await now({ minimumAge: 0, dryRun: true })).toEqual({ removed: 1, waiting: 0, unknown: 0 });
    expect([f.files.names.length, await events()]).toEqual([1, []]);
    expect(await now({ minimumAge: 0 })).toEqual({ removed: 1, waiting: 0, unknown: 0 });
    expect([f.files.names, await events(), await bytesCounted(f.r)]).toEqual([[], ["files.collected"], 0]);
  });

  describe("and a file that is stored in one step", () => {
    let bytes: SlowBytes;
    let stored: Promise<unknown>;
    beforeEach(async () => {
      bytes = new SlowBytes();
      stored = codeOf(storeText(f, "", { bytes }));
      await bytes.started;
    });

    test("keeps it for as long as it arrives", async () => {
      const detached = async () => (await f.r.records.list("detachedFile", { after: null, limit: 1 }))[0];
      for (const _ of [1, 2, 3]) {
        const version = (await detached())?.createdVersion;
        f.clock.ahead += 0.9 * day;
        const now = jest.spyOn(Date, "now").mockReturnValue(Date.now() + f.clock.ahead);
        bytes.send("abc");
        await until(async () => ![undefined, version].includes((await detached())?.createdVersion));
        now.mockRestore();
        expect(await collect()).toBe(0);
      }
      f.clock.ahead = 0;
      bytes.end();
      expect(await textOf(f, String(await stored))).toBe("abcabcabc");
    });

    test("stores nothing of it once it is removed", async () => {
      f.files.remove = async () => {};
      expect((await collectFiles(administrationOf(f.database), { minimumAge: 0 })).removed).toBe(1);
      bytes.send("abc").end();
      expect(await stored).toBe(702);
      expect(await f.r.records.list("file", { after: null, limit: 1 })).toEqual([]);
    });

    test("leaves it once it has an object", async () => {
      const { transaction } = f.database.unit;
      const unit = Object.create(f.database.unit, {
        transaction: {
          value: async (work: never) => {
            bytes.send("abc").end();
            await stored;
            return transaction.call(f.database.unit, work);
          },
        },
      }) as typeof f.database.unit;
      const context = { ...administrationOf(f.database), unit };
      expect(await collectFiles(context, { minimumAge: 0 })).toMatchObject({ removed: 0 });
      expect(await textOf(f, String(await stored))).toBe("abc");
    });
  });
});

test("files are listed with their state", async () => {
  const [id, deleted] = [await storeText(f, "hello"), await storeText(f, "gone")];
  await remove(deleted, false);
  await finishText(f, await uploadText(f, "new", f.anna, "new.txt"), id);
  const uploadId = await uploadText(f, "unfinished", f.ben, "late.txt");
  const listed = await allOf(listFiles(administrationOf(f.database)));
  const common = { objectId: null, uploader: null, sha256: null, mediaType: null, expiresAt: null };
  const [file, since] = [expect.stringMatching(/^[0-9a-f]{32}$/), expect.any(Number)];
  const complete = { ...common, file, since, state: "complete", objectId: id, name: "new.txt", size: 3 };
  const gone = { ...common, file, since, state: "unused", objectId: deleted, name: "plan.txt", size: 4 };
  const { userId } = f.ben.principal;
  expect(listed.toSorted((one, other) => one.size - other.size)).toEqual([
    { ...complete, sha256: sha256("new") },
    { ...gone, sha256: sha256("gone") },
    { ...common, file, since, state: "unused", name: null, size: 5 },
    {
      ...common,
      since,
      file: uploadId.replaceAll("-", ""),
      state: "uploading",
      uploader: `user:${userId}`,
      name: "late.txt",
      size: 10,
      expiresAt: expect.any(Number),
    },
  ]);
});

describe("the check of files", () => {
  const problems = async (fast: boolean) => {
    const checked = await allOf(checkFiles(using(administrationOf(f.database), { hashes }), { fast }));
    return Object.fromEntries(checked.map(({ objectId, problem }) => [objectId, problem]));
  };
  const fileOf = async (objectId: string) =>
    (await f.r.records.list("file", { owner: objectId, after: null, limit: 1 }))[0]?.id ?? "";
  const segmentsOf = async (objectId: string) =>
    f.r.records.list<{ segment: string }>("segment", { owner: await fileOf(objectId), after: null, limit: 9 });
  /** Stores a file in two chunks. */
  const storeChunks = async (text: string) => {
    const { uploadId } = await beginUpload(f.anna);
    for (const [first, last] of [
      [0, 2],
      [3, text.length - 1],
    ] as const)
      await storeChunk(f.anna, uploadId, { first, last, total: null }, incoming(text.slice(first, last + 1)));
    return (await finishText(f, uploadId)).object["~ObjectID"];
  };

  test("finds no problem in complete files", async () => {
    const [one, two] = [await storeText(f), await storeChunks("abcdef")];
    for (const fast of [false, true]) expect(await problems(fast)).toEqual({ [one]: null, [two]: null });
    expect(await allOf(unknownFiles(using(administrationOf(f.database), { hashes })))).toEqual([]);
  });

  test("reports missing and damaged files", async () => {
    const [missing, cut, partial, damaged] = [
      await storeText(f),
      await storeText(f),
      await storeChunks("abcdef"),
      await storeChunks("abcdef"),
    ];
    const rewrite = async (id: string, index: number, text: string | null) => {
      const file = await fileOf(id);
      const segment = (await segmentsOf(id))[index]?.value.segment ?? "";
      await f.files.remove([{ file, segment }]);
      if (text !== null) await f.files.write({ file, segment }, (await incoming(text)()).bytes);
    };
    await f.files.remove({ file: await fileOf(missing) });
    await rewrite(cut, 0, "hell");
    await rewrite(partial, 0, null);
    await rewrite(damaged, 1, "deF");
    const found = { [missing]: "missing", [cut]: "missing", [partial]: "missing" };
    expect(await problems(false)).toEqual({ ...found, [damaged]: "damaged" });
    expect(await problems(true)).toEqual({ ...found, [damaged]: null });
  });

  test("reports nothing about a file that is removed during the check", async () => {
    await remove(await storeText(f), false);
    const { read } = f.files;
    f.files.read = async (...args) => {
      await collectFiles(administrationOf(f.database), { minimumAge: 0 });
      return read.call(f.files, ...args);
    };
    expect(await problems(false)).toEqual({});
  });

  test("reports files that the database does not know, and fails without a store", async () => {
    await f.files.create("2".repeat(32));
    expect(await allOf(unknownFiles(using(administrationOf(f.database), { hashes })))).toEqual(["2".repeat(32)]);
    f.files.list = () => Promise.reject(new ServiceError(709));
    expect(await codeOf(allOf(unknownFiles(using(administrationOf(f.database), { hashes }))))).toBe(709);
  });
});
