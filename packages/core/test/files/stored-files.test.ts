import { allPages, builtInClasses, type ClassDefinition, ServiceError } from "@sallyport/storage";
import {
  type ActiveHooks,
  type ObjectHooks,
  type SessionContext,
  storeFile,
  beginUpload,
  storeChunk,
  readUpload,
  openFile,
  setReaders,
  deleteObject,
  updateObject,
  createObject,
  updateObjects,
  getObject,
  type ObjectContext,
} from "../../src/index.ts";
import {
  byId,
  bytes,
  codeOf,
  collected,
  everything,
  type FileFixture,
  finishText,
  type OtherParameters,
  incoming,
  openFileFixture,
  sha256,
  storeText,
  textOf,
  uploadText,
} from "./file-fixture.ts";

let f: FileFixture;

beforeEach(async () => {
  f = await openFileFixture({ maxSize: 1_000, forbiddenExtensions: ["exe"] });
});

const store = (...args: OtherParameters<typeof storeText>) => storeText(f, ...args);
const uploaded = (...args: OtherParameters<typeof uploadText>) => uploadText(f, ...args);
const finish = (...args: OtherParameters<typeof finishText>) => finishText(f, ...args);
const define = (rights: ClassDefinition["rights"], change: Partial<ClassDefinition> = {}) =>
  f.define({ ...(builtInClasses.find(({ name }) => name === "File") as ClassDefinition), rights, ...change });
/** The context under the current model. */
const renewed = async (context = f.anna) => ({
  ...context,
  modelGeneration: (await f.r.model.load()).generation,
});

describe("a file stored in one step", () => {
  test("has its attributes and its bytes", async () => {
    const { object, version } = await storeFile(
      f.anna,
      incoming("hello", { name: "plan.txt", mediaType: "Text/Plain; charset=utf-8" }),
    );
    expect(version).toBe(1);
    expect(object).toMatchObject({
      "~ClassName": "File",
      Name: "plan.txt",
      Size: 5,
      MediaType: "text/plain",
      Sha256: sha256("hello"),
    });
    expect(await textOf(f, object["~ObjectID"])).toBe("hello");
  });

  test.each([
    ["an empty one", () => store(""), 501],
    ["one without a name", () => store("a", { name: null }), 500],
    ["one with a folder in its name", () => store("a", { name: "a/b" }), 502],
    ["one with a forbidden extension", () => store("a", { name: "a.exe" }), 502],
    ["one that is too large", () => store("x".repeat(1_001)), 801],
    ["one in a folder", () => store("a", { fields: new Map([["path", "plans"]]) }), 304],
    ["one above the root", () => store("a", { fields: new Map([["path", "../"]]) }), 304],
  ])("refuses %s, and nothing stays", async (_what, call, code) => {
    expect(await codeOf(call())).toBe(code);
    expect(f.files.names).toEqual([]);
    for (const kind of ["file", "segment", "storedBytes"])
      expect(await f.r.records.list(kind, { after: null, limit: 1 })).toEqual([]);
  });

  test("can be in the root", async () => {
    for (const path of ["/", ""])
      expect(await textOf(f, await store("a", { fields: new Map([["path", path]]) }))).toBe("a");
  });

  test("needs the right to create files before its bytes are asked for", async () => {
    const receive = () => Promise.reject(new Error("The bytes are asked for."));
    await define([{ group: "*", permissions: ["read", "write"] }]);
    expect(await codeOf(storeFile(await renewed(), receive))).toBe(404);
    await define([]);
    expect(await codeOf(storeFile(await renewed(), receive))).toBe(304);
  });

  test("is not stored if its bytes fail", async () => {
    const broken = async function* () {
      yield bytes("ab");
      throw new ServiceError(503);
    };
    expect(await codeOf(storeFile(f.anna, incoming(broken(), { name: "a" })))).toBe(503);
    expect(f.files.names).toEqual([]);
  });

  test("stays in the store if the outcome of its transaction is unknown", async () => {
    const { transaction } = f.database.storage;
    f.database.storage.transaction = async (work) => {
      await transaction.call(f.database.storage, work);
      throw new ServiceError(704);
    };
    expect(await codeOf(store())).toBe(704);
    f.database.storage.transaction = transaction;
    const [record] = await f.r.records.list("file", { after: null, limit: 1 });
    expect(f.files.names).toEqual([record?.id]);
    expect(await textOf(f, record?.owner ?? "")).toBe("hello");
  });
});

describe("an upload", () => {
  test("needs the right to create or write files", async () => {
    await define([{ group: "*", permissions: ["read"] }]);
    expect(await codeOf(beginUpload(await renewed()))).toBe(404);
    await define([{ group: "*", permissions: ["create"] }]);
    expect(await codeOf(beginUpload(await renewed()))).toBe(304);
    await define([{ group: "*", permissions: ["read", "write"] }]);
    const { uploadId } = await beginUpload(await renewed());
    await storeChunk(await renewed(), uploadId, null, incoming("a"));
    expect(await codeOf(finish(uploadId, null, {}, await renewed()))).toBe(404);
  });

  test("without bytes is not finished, nor one with a gap", async () => {
    const { uploadId } = await beginUpload(f.anna);
    const send = (first: number, text: string) =>
      storeChunk(f.anna, uploadId, { first, last: first + text.length - 1, total: 6 }, incoming(text));
    expect(await codeOf(finish(uploadId))).toBe(604);
    await send(4, "ef");
    expect(await codeOf(finish(uploadId))).toBe(600);
    await send(0, "abc");
    expect(await codeOf(finish(uploadId))).toBe(600);
    await send(3, "d");
    expect(await textOf(f, (await finish(uploadId)).object["~ObjectID"])).toBe("abcdef");
  });

  test("whose end is missing is not finished", async () => {
    const { uploadId } = await beginUpload(f.anna);
    await storeChunk(f.anna, uploadId, { first: 0, last: 2, total: 6 }, incoming("abc"));
    expect(await codeOf(finish(uploadId))).toBe(600);
  });

  test("is gone once it is finished", async () => {
    const uploadId = await uploaded("abc");
    await finish(uploadId);
    expect(await codeOf(finish(uploadId))).toBe(603);
    expect(await codeOf(readUpload(f.anna, uploadId))).toBe(603);
  });

  test("replaces the bytes and attributes of a file", async () => {
    const id = await store("hello");
    const before = await openFile(f.anna, byId(id));
    const uploadId = await uploaded("new bytes", f.anna, "new.md");
    const { object, version } = await finish(uploadId, id);
    expect(object).toMatchObject({
      "~ObjectID": id,
      Name: "new.md",
      Size: 9,
      MediaType: null,
      Sha256: sha256("new bytes"),
    });
    expect(version).toBe(2);
    const after = await openFile(f.anna, byId(id));
    expect(after).toMatchObject({ name: "new.md", size: 9 });
    expect(after.etag).not.toBe(before.etag);
    expect(await textOf(f, id)).toBe("new bytes");
    expect(await collected(await before.read({ offset: 0, length: 5 }))).toBe("hello");
  });

  test("replaces only what the caller may write", async () => {
    const [id, uploadId] = [await store(), await uploaded("new")];
    const user = f.anna.principal.userId;
    expect(await codeOf(finish(uploadId, "ZZZZ"))).toBe(304);
    expect(await codeOf(finish(uploadId, user))).toBe(304);
    await setReaders(f.anna, byId(id), { readers: [user], expectedVersions: null });
    const foreign = await uploaded("new", f.ben);
    expect(await codeOf(finish(foreign, id, {}, f.ben))).toBe(304);
    expect(await codeOf(finish(uploadId, id, { expectedVersions: [1] }))).toBe(713);
    await define([{ group: "*", permissions: ["read", "create"] }]);
    expect(await codeOf(finish(uploadId, id, {}, await renewed()))).toBe(404);
    await define(everything);
    await f.r.locks.take(id, f.ben.sessionDigest);
    expect(await codeOf(finish(uploadId, id, {}, await renewed()))).toBe(713);
    await f.r.locks.release(id, null);
    expect(await textOf(f, id)).toBe("hello");
    expect((await finish(uploadId, id, { expectedVersions: [2] }, await renewed())).version).toBe(3);
    const again = await uploaded("newer", await renewed());
    await deleteObject(await renewed(), byId(id), { recycled: true, expectedVersions: null });
    expect(await codeOf(finish(again, id, {}, await renewed()))).toBe(610);
  });

  test("refuses a name that is not accepted any more", async () => {
    const { uploadId } = await beginUpload(f.anna);
    await storeChunk(f.anna, uploadId, null, incoming("a", { name: "a.txt" }));
    const database = Object.create(f.database, {
      policy: { value: { ...f.database.policy, files: { ...f.database.policy.files, allowedExtensions: ["pdf"] } } },
    });
    expect(await codeOf(finish(uploadId, null, {}, { ...f.anna, database }))).toBe(502);
  });
});

describe("objects of files", () => {
  test("are neither created by clients, nor given another size or digest, nor renamed many at once", async () => {
    const id = await store();
    const update = (input: object) =>
      updateObject(f.anna, byId(id), {
        attributes: input,
        expectedVersions: null,
        serialization: undefined,
      } as never);
    const bulk = { className: "File", query: {}, attributes: { Name: "new" }, expectedVersions: null };
    expect(await codeOf(createObject(f.anna, "File", { Name: "a" }))).toBe(404);
    expect(await codeOf(createObject(f.anna, "File", {}))).toBe(404);
    for (const input of [{ Size: 1 }, { Sha256: "" }, { Size: null }, { Name: "new", Size: 1 }])
      expect(await codeOf(update(input))).toBe(404);
    expect(await codeOf(updateObjects(f.anna, bulk as never))).toBe(307);
    expect((await getObject(f.anna, byId(id))).version).toBe(1);
  });

  test("of subclasses are treated alike, and their other attributes can be changed", async () => {
    await f.define({ name: "Plan", base: "File", attributes: [{ name: "Scale", type: "number" }], rights: everything });
    const context = await renewed();
    expect(await codeOf(createObject(context, "Plan", { Name: "a" }))).toBe(404);
    const [id] = (await f.insert({ className: "Plan", attributes: { Name: "a" } })) as [string];
    const change = (input: object) =>
      updateObject(context, byId(id), {
        attributes: input,
        expectedVersions: null,
        serialization: undefined,
      } as never);
    expect(await codeOf(change({ Sha256: "b" }))).toBe(404);
    expect((await change({ Name: "b", Scale: 100 })).object).toMatchObject({ Name: "b", Scale: 100 });
    expect((await finish(await uploaded("abc", context), id, {}, context)).object).toMatchObject({
      Scale: 100,
      Size: 3,
    });
  });

  test("of a class that lacks the attributes of files get those that it has", async () => {
    const content = { name: "Content", type: "file" } as const;
    await define(everything, {
      attributes: [{ name: "Name", type: "string" }, content, { name: "MediaType", type: "boolean" }],
    });
    const { object } = await storeFile(await renewed(), incoming("abc", { name: "a.txt", mediaType: "a/b" }));
    expect(object).toMatchObject({ Name: "a.txt" });
    expect(object).not.toHaveProperty("Size");
    expect(object).not.toHaveProperty("MediaType");
    expect(await textOf(f, object["~ObjectID"])).toBe("abc");
  });

  test("get attributes that the caller may not read", async () => {
    const hidden = { name: "Sha256", type: "string", read: ["ZZZZ"] } as const;
    await define(everything, { attributes: [{ name: "Name", type: "string" }, hidden] });
    const { object } = await storeFile(await renewed(), incoming("abc", { name: "a.txt" }));
    expect(object).not.toHaveProperty("Sha256");
    const [stored] = await f.r.objects.get([object["~ObjectID"]], { classes: null, principals: null });
    expect(stored?.attributes).toMatchObject({ Sha256: sha256("abc") });
  });

  test("pass through the hooks of their class", async () => {
    const seen: unknown[] = [];
    const hook = (name: string, run: (items: readonly unknown[]) => unknown) => ({
      name,
      classes: ["File"],
      run: async (_caller: unknown, items: readonly unknown[]) => run(items),
    });
    const changes: { set: object }[] = [{ set: {} }, { set: {} }, { set: { Size: 7 } }];
    const active = {
      buildSerialization: [],
      beforeSave: [hook("before", (items) => (seen.push(...items), [{ ...changes.shift(), removed: [] }]))],
      afterSave: [hook("after", (items) => void seen.push(...items))],
      prepared: (context: ObjectContext, work: (ready: SessionContext) => unknown) => work(context),
    } as unknown as ActiveHooks;
    const hooks: ObjectHooks = { current: () => active, ignored: () => {} };
    f = await openFileFixture({}, { hooks });
    const id = await store("hello");
    expect(seen).toMatchObject([
      { object: { Name: "plan.txt", Size: 5 }, previous: null },
      { object: { "~ObjectID": id, Name: "plan.txt" }, previous: null },
    ]);
    await finish(await uploaded("new bytes"), id);
    expect(seen.slice(2)).toMatchObject([
      { object: { "~ObjectID": id, Size: 9 }, previous: { Size: 5 } },
      { object: { "~ObjectID": id, Size: 9 }, previous: { Size: 5 } },
    ]);
    expect(await codeOf(store("a hook must not change the size"))).toBe(710);
  });
});

describe("the bytes of a file", () => {
  test("are read by all who may read its object", async () => {
    const id = await store();
    expect((await openFile(f.ben, byId(id))).name).toBe("plan.txt");
    const readers = [f.anna.principal.userId];
    await setReaders(f.anna, byId(id), { readers, expectedVersions: null });
    expect(await codeOf(openFile(f.ben, byId(id)))).toBe(304);
    expect(await textOf(f, id)).toBe("hello");
    await define([{ group: "*", permissions: ["create"] }]);
    expect(await codeOf(openFile(await renewed(), byId(id)))).toBe(304);
  });

  test("are found by the UUID of the object", async () => {
    const id = await store();
    const [object] = await f.r.objects.get([id], { classes: null, principals: null });
    const opened = await openFile(f.anna, { kind: "uuid", uuid: object?.uuid ?? "" });
    expect(await collected(await opened.read({ offset: 1, length: 3 }))).toBe("ell");
  });

  test.each([
    ["of an unknown object", async () => "ZZZZ", 304],
    ["of an object that is not a file", async () => f.anna.principal.userId, 304],
    [
      "of an object without bytes",
      async () => (await f.insert({ className: "File", attributes: { Name: "a" } }))[0],
      707,
    ],
    [
      "of a deleted object",
      async () => {
        const id = await store();
        await deleteObject(f.anna, byId(id), { recycled: false, expectedVersions: null });
        return id;
      },
      609,
    ],
  ])("%s cannot be opened", async (_what, make, code) => {
    await f.define({ name: "User", base: null, attributes: [], rights: everything });
    const id = (await make()) as string;
    expect(await codeOf(openFile(await renewed(), byId(id)))).toBe(code);
  });

  test("that are gone are reported before the first byte", async () => {
    const id = await store();
    await f.files.remove({ file: f.files.names[0] as string });
    const opened = await openFile(f.anna, byId(id));
    expect(await codeOf(opened.read({ offset: 0, length: 1 }))).toBe(707);
  });

  test("with a hole fail at the hole", async () => {
    const { uploadId } = await beginUpload(f.anna);
    for (const first of [0, 2, 4])
      await storeChunk(f.anna, uploadId, { first, last: first + 1, total: 6 }, incoming("ab"));
    const { object } = await finish(uploadId);
    const segments = await allPages(
      (page) => f.r.records.list<{ segment: string }>("segment", page),
      ({ id }) => id,
    );
    const { id, value } = segments[1] as (typeof segments)[number];
    await f.files.remove([{ file: id.slice(0, 32), segment: value.segment }]);
    const opened = await openFile(f.anna, byId(object["~ObjectID"]));
    expect(await codeOf(collected(await opened.read({ offset: 0, length: 6 })))).toBe(707);
    expect(await collected(await opened.read({ offset: 0, length: 2 }))).toBe("ab");
    await f.r.records.remove("segment", { ids: [id] });
    expect(await codeOf(opened.read({ offset: 2, length: 1 }))).toBe(707);
  });
});
