import { randomBytes } from "node:crypto";
import { ThreadHashes } from "@sallyport/crypto";
import { isFullRun } from "@sallyport/test-kit/scope";
import { administrationOf, beginUpload, storeChunk, openFile, checkFiles } from "../../src/index.ts";
import {
  byId,
  codeOf,
  type FileFixture,
  fileCipherOf,
  finishText,
  incoming,
  openFileFixture,
  storeText,
  textOf,
  uploadText,
} from "./file-fixture.ts";
import { using } from "../fixture.ts";

let f: FileFixture;

describe("encrypted bytes", () => {
  const [content, frame] = [262_128, 262_144];
  const text = randomBytes(300_000).toString("hex");

  interface Placed {
    readonly file: string;
    readonly segment: string;
    readonly length: number;
  }

  beforeEach(async () => {
    f = await openFileFixture({}, { fileCipher: fileCipherOf(7) });
  });

  /** The segments of all files, in order. */
  async function segments(): Promise<Placed[]> {
    const found = await f.r.records.list<Omit<Placed, "file">>("segment", { after: null, limit: 100 });
    return found.map(({ owner, value }) => ({ file: owner as string, ...value }));
  }
  async function rawBytes({ file, segment }: Placed): Promise<Buffer> {
    let raw = Buffer.alloc(0);
    f.files.tamper({ file, segment }, (stored) => {
      raw = Buffer.from(stored);
      return stored;
    });
    return raw;
  }
  const damage = async (at: number, change: (stored: Uint8Array) => Uint8Array) =>
    f.files.tamper((await segments())[at] as Placed, change);
  /** Stores the text in two segments, the second with three frames. */
  async function inTwoSegments(content = text): Promise<string> {
    const { uploadId } = await beginUpload(f.anna);
    const send = (first: number, part: string) =>
      storeChunk(f.anna, uploadId, { first, last: first + part.length - 1, total: content.length }, incoming(part));
    await send(50_000, content.slice(50_000));
    await send(0, content.slice(0, 50_000));
    return (await finishText(f, uploadId)).object["~ObjectID"];
  }
  const under = (fileCipher: ReturnType<typeof fileCipherOf>) => ({
    ...f.anna,
    database: Object.create(f.database, { fileCipher: { value: fileCipher } }) as typeof f.database,
  });

  test("are not in the store, and lengths are those of the content", async () => {
    await storeText(f, text);
    await inTwoSegments();
    const stored = await segments();
    expect(stored.map(({ length }) => length)).toEqual(
      expect.arrayContaining([text.length, 50_000, text.length - 50_000]),
    );
    for (const each of stored) {
      const raw = await rawBytes(each);
      expect(raw.length).toBe(each.length + 16 * Math.ceil(each.length / content));
      for (let at = 0; at < text.length; at += 10_000) expect(raw.includes(text.slice(at, at + 8))).toBe(false);
    }
    const counted = await f.r.records.list<number>("storedBytes", { after: null, limit: 16 });
    expect(counted.reduce((sum, { value }) => sum + value, 0)).toBe(2 * text.length);
  });

  test("are read whole and in ranges", async () => {
    const id = await inTwoSegments();
    expect(await textOf(f, id)).toBe(text);
    const edges = [0, 1, 49_999, 50_000, 50_001, 50_000 + content - 1, 50_000 + content, text.length - 1];
    for (const [index, first] of edges.entries())
      for (const end of edges.slice(index + 1, index + (isFullRun ? 4 : 2)))
        expect(await textOf(f, id, first, end - first)).toBe(text.slice(first, end));
  });

  test("of a whole file that is sent again take the place of the former ones", async () => {
    const uploadId = await uploadText(f, text);
    const [first] = await segments();
    await storeChunk(f.anna, uploadId, null, incoming(text));
    const [second, ...others] = await segments();
    expect([second?.segment === first?.segment, others]).toEqual([false, []]);
    expect(await textOf(f, (await finishText(f, uploadId)).object["~ObjectID"])).toBe(text);
  });

  test.each<[string, (stored: Uint8Array) => Uint8Array]>([
    ["are empty", () => new Uint8Array()],
    ["lack the last byte", (stored) => stored.subarray(0, -1)],
    ["lack the last frame", (stored) => stored.subarray(0, frame)],
    ["have one more byte", (stored) => Buffer.concat([stored, Buffer.of(0)])],
    ["have the last frame twice", (stored) => Buffer.concat([stored, stored.subarray(frame)])],
    ["have a changed first frame", (stored) => Buffer.concat([Buffer.of((stored[0] ?? 0) ^ 1), stored.subarray(1)])],
    ["are plain", () => Buffer.from(text)],
  ])("that %s fail with 708 before the first byte", async (_what, change) => {
    const id = await storeText(f, text);
    await damage(0, change);
    const opened = await openFile(f.anna, byId(id));
    expect(await codeOf(opened.read({ offset: 0, length: text.length }))).toBe(708);
  });

  test("with a damaged frame fail at this frame", async () => {
    const id = await storeText(f, text);
    await damage(0, (stored) => Buffer.from(stored).fill(0, frame + 10, frame + 20));
    const opened = await openFile(f.anna, byId(id));
    expect(await textOf(f, id, 0, content)).toBe(text.slice(0, content));
    expect(await textOf(f, id, 2 * content)).toBe(text.slice(2 * content));
    expect(await codeOf(opened.read({ offset: content, length: 1 }))).toBe(708);
    const parts: Uint8Array[] = [];
    const reading = async () => {
      for await (const part of await opened.read({ offset: 0, length: text.length })) parts.push(part);
    };
    expect([await codeOf(reading()), Buffer.concat(parts).toString()]).toEqual([708, text.slice(0, content)]);
  });

  test("that are exchanged between segments or files fail", async () => {
    const twice = text.slice(0, 50_000) + text.slice(0, 50_000);
    const ids = [await inTwoSegments(twice), await inTwoSegments(twice)];
    const [first, second, third] = (await segments()) as [Placed, Placed, Placed];
    for (const [one, other] of [[first, second] as const, [first, third] as const]) {
      const [raw, otherRaw] = [await rawBytes(one), await rawBytes(other)];
      f.files.tamper(one, () => otherRaw);
      f.files.tamper(other, () => raw);
      for (const { owner } of await f.r.records.get("file", [one.file, other.file]))
        expect(await codeOf(textOf(f, owner as string))).toBe(708);
      f.files.tamper(one, () => raw);
      f.files.tamper(other, () => otherRaw);
    }
    for (const id of ids) expect(await textOf(f, id)).toBe(twice);
  });

  test("that are gone fail with 707", async () => {
    const id = await storeText(f, text);
    await f.files.remove(await segments());
    const opened = await openFile(f.anna, byId(id));
    expect(await codeOf(opened.read({ offset: 0, length: 1 }))).toBe(707);
  });

  test("need the master key under which they were written", async () => {
    const id = await storeText(f, text);
    const opened = await openFile(under(fileCipherOf(8)), byId(id));
    expect(await codeOf(opened.read({ offset: 0, length: 1 }))).toBe(708);
    const { uploadId } = await beginUpload(f.anna);
    expect(await codeOf(storeChunk(under(fileCipherOf(8)), uploadId, null, incoming("a")))).toBe(708);
    expect(await codeOf(storeChunk(f.anna, uploadId, null, incoming("a")))).toMatchObject({ size: 1 });
  });

  test("of an upload need a former master key no more once the upload has gone on", async () => {
    const { uploadId } = await beginUpload(f.anna);
    const send = (first: number, part: string, context: typeof f.anna) =>
      storeChunk(context, uploadId, { first, last: first + part.length - 1, total: 6 }, incoming(part));
    await send(0, "abc", f.anna);
    await send(3, "def", under(fileCipherOf(8, { former: [7] })));
    const { object } = await finishText(f, uploadId, null, {}, under(fileCipherOf(8)));
    const opened = await openFile(under(fileCipherOf(8)), byId(object["~ObjectID"]));
    const parts: Uint8Array[] = [];
    for await (const part of await opened.read({ offset: 0, length: 6 })) parts.push(part);
    expect(Buffer.concat(parts).toString()).toBe("abcdef");
  });

  test("under another master key are reported apart from damaged ones", async () => {
    const ids = [await storeText(f, text), await storeText(f, text)];
    await damage(0, (stored) => Buffer.from(stored).fill(0, 10, 20));
    const problems = async (context: typeof f.anna) => {
      const found = [];
      for await (const { problem } of checkFiles(
        using(administrationOf(context.database), { hashes: new ThreadHashes() }),
      ))
        found.push(problem);
      return found;
    };
    expect(ids).toHaveLength(2);
    expect((await problems(f.anna)).toSorted()).toEqual(["damaged", null]);
    expect(await problems(under(fileCipherOf(8)))).toEqual(["sealed", "sealed"]);
    expect((await problems(under(fileCipherOf(8, { former: [6, 7] })))).toSorted()).toEqual(["damaged", null]);
  });

  test("are written to the end of an upload that began with them, and to no other", async () => {
    const off = fileCipherOf(7, { encryptsNew: false });
    for (const [before, after, isEncrypted] of [
      [fileCipherOf(7), off, true],
      [off, fileCipherOf(7), false],
    ] as const) {
      const { uploadId } = await beginUpload(under(before));
      const send = (first: number, part: string, context = under(after)) =>
        storeChunk(context, uploadId, { first, last: first + part.length - 1, total: 6 }, incoming(part));
      await send(0, "abc", under(before));
      await send(0, "abc");
      await send(3, "def");
      const { object } = await finishText(f, uploadId, null, {}, under(after));
      expect(await textOf(f, object["~ObjectID"])).toBe("abcdef");
      const lengths = [];
      for (const each of await segments())
        if (each.file === uploadId.replaceAll("-", "")) lengths.push((await rawBytes(each)).length);
      expect(lengths).toEqual(isEncrypted ? [19, 19] : [3, 3]);
    }
  });
});
