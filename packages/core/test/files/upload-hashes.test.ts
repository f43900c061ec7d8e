import { jest } from "@jest/globals";
import { ThreadHashes } from "@sallyport/crypto";
import { ServiceError } from "@sallyport/storage";
import {
  beginUpload,
  cancelUpload,
  finishUpload,
  JoinedUnit,
  readUpload,
  storeChunk,
  UploadHashes,
} from "../../src/index.ts";
import { fileNameOf } from "../../src/files/uploads.ts";
import { using } from "../fixture.ts";
import {
  codeOf,
  type FileFixture,
  incoming,
  md5,
  newUploadHashes,
  openFileFixture,
  sha256,
  SlowBytes,
  textOf,
} from "./file-fixture.ts";

describe("the digests of an upload", () => {
  const text = "abcdefghij";
  let f: FileFixture;
  let id: string;
  /** The same session in another process, which has seen no bytes. */
  let other: FileFixture["anna"];
  let reads: ReturnType<typeof jest.spyOn>;

  beforeEach(async () => {
    f = await openFileFixture();
    id = (await beginUpload(f.anna)).uploadId;
    other = using(f.anna, { ...f.anna.services, uploadHashes: newUploadHashes() });
    reads = jest.spyOn(f.files, "read");
  });

  const send = (first: number, last: number, { context = f.anna, hash = true, content = text } = {}) =>
    storeChunk(context, id, { first, last, total: text.length }, incoming(content.slice(first, last + 1)), { hash });
  const finish = (context = f.anna) =>
    finishUpload(context, id, { replace: null, expectedVersions: null, serialization: undefined });
  const damage = async (at: number) => {
    const found = await f.r.records.list<{ segment: string }>("segment", { after: null, limit: 10 });
    const { owner, value } = found[at] as (typeof found)[number];
    f.files.tamper({ file: owner as string, segment: value.segment }, (stored) =>
      Buffer.concat([Buffer.of((stored[0] ?? 0) ^ 1), stored.subarray(1)]),
    );
  };

  test("are those of chunks in order, without reading a byte", async () => {
    for (const first of [0, 3, 6]) {
      const last = Math.min(first + 3, text.length) - 1;
      expect(await send(first, last)).toMatchObject({ size: last + 1, hash: md5(text.slice(0, last + 1)) });
    }
    expect(await send(9, 9)).toMatchObject({ hash: md5(text) });
    expect(await readUpload(other, id)).toMatchObject({ hash: md5(text) });
    expect((await finish(other)).object).toMatchObject({ Size: 10, Sha256: sha256(text) });
    expect(reads).not.toHaveBeenCalled();
  });

  test("in another process are computed from the bytes that it has not seen, once", async () => {
    await send(0, 2);
    expect(await send(3, 5, { context: other })).toMatchObject({ size: 6, hash: md5("abcdef") });
    expect(reads).toHaveBeenCalledTimes(2);
    expect(await send(6, 7, { context: other })).toMatchObject({ hash: md5("abcdefgh") });
    expect(reads).toHaveBeenCalledTimes(2);
    expect(await send(8, 9)).toMatchObject({ hash: md5(text) });
    expect(reads).toHaveBeenCalledTimes(5);
    expect((await finish(other)).object).toMatchObject({ Sha256: sha256(text) });
    expect(reads).toHaveBeenCalledTimes(6);
  });

  test("of chunks out of order are computed when the gap is closed and someone asks, once for all", async () => {
    await send(4, 6);
    await send(7, 9);
    await send(0, 3, { hash: false });
    expect(reads).not.toHaveBeenCalled();
    const states = await Promise.all(Array.from({ length: 5 }, () => readUpload(f.anna, id)));
    expect(states.map(({ hash }) => hash)).toEqual(Array(5).fill(md5(text)));
    expect(reads).toHaveBeenCalledTimes(3);
    expect((await finish()).object).toMatchObject({ Sha256: sha256(text) });
    expect(reads).toHaveBeenCalledTimes(3);
  });

  test("of fewer bytes take the place of no digests that are further on", async () => {
    await send(0, 9);
    const hashes = newUploadHashes();
    const [all, fewer] = [
      { id, revision: 0, size: 10 },
      { id, revision: 0, size: 4 },
    ];
    const ofUpload = { database: f.anna.database, person: "anna", file: fileNameOf(id), key: null };
    await hashes.of({ ...all, ...ofUpload }, true);
    expect((await hashes.of({ ...fewer, ...ofUpload }, true)).md5).toBe(md5(text.slice(0, 4)));
    expect((await hashes.cached(all, true))?.md5).toBe(md5(text));
  });

  test("lack the MD5 if no one wants it, and the end does not need it", async () => {
    expect(await send(0, 4, { hash: false })).not.toHaveProperty("hash");
    expect(await send(5, 9, { hash: false })).toMatchObject({ size: 10 });
    expect(await readUpload(f.anna, id, { hash: false })).not.toHaveProperty("hash");
    expect(reads).not.toHaveBeenCalled();
    expect(await readUpload(f.anna, id)).toMatchObject({ hash: md5(text) });
    expect(reads).toHaveBeenCalledTimes(2);
    expect((await finish()).object).toMatchObject({ Sha256: sha256(text) });
  });

  test("do not contain bytes of a chunk that failed", async () => {
    await send(0, 2);
    const bytes = new SlowBytes().send("XYZ").fail(new ServiceError(699));
    expect(await codeOf(storeChunk(f.anna, id, { first: 3, last: 9, total: 10 }, incoming(bytes)))).toBe(699);
    expect(await send(3, 9)).toMatchObject({ hash: md5(text) });
    expect(reads).not.toHaveBeenCalled();
    expect((await finish()).object).toMatchObject({ Sha256: sha256(text) });
  });

  test("are those of other bytes that took the place of the first ones in another process", async () => {
    await send(0, 4);
    await storeChunk(other, id, null, incoming("ABCDE"));
    expect(await readUpload(f.anna, id)).toMatchObject({ size: 5, hash: md5("ABCDE") });
    const { object } = await finish();
    expect([object["Sha256"], await textOf(f, object["~ObjectID"])]).toEqual([sha256("ABCDE"), "ABCDE"]);
  });

  test("are not those of stored bytes that differ from the received ones", async () => {
    await send(5, 9);
    await send(0, 4, { context: other, hash: false });
    await damage(1);
    const state = await readUpload(f.anna, id);
    expect([state.size, "hash" in state]).toEqual([10, false]);
    expect(await codeOf(finish())).toBe(707);
    await damage(1);
    expect((await finish()).object).toMatchObject({ Sha256: sha256(text) });
  });

  test("are not computed from stored bytes in a transaction", async () => {
    await send(5, 9);
    await send(0, 4, { context: other, hash: false });
    const inside = <T>(work: (context: FileFixture["anna"]) => Promise<T>) =>
      f.database.storage.transaction((r, attempt) => work({ ...f.anna, r, unit: new JoinedUnit(r, attempt) }));
    expect(await inside((context) => readUpload(context, id))).not.toHaveProperty("hash");
    expect(await codeOf(inside(finish))).toBe(606);
    expect(reads).not.toHaveBeenCalled();
    expect(await readUpload(f.anna, id)).toMatchObject({ hash: md5(text) });
    expect(await inside((context) => readUpload(context, id))).toMatchObject({ hash: md5(text) });
    expect((await inside(finish)).object).toMatchObject({ Sha256: sha256(text) });
  });

  test("survive a failure of the thread", async () => {
    const hashes = new ThreadHashes();
    const uploadHashes = new UploadHashes({ hashes, now: () => Date.now(), after: () => () => {} });
    const context = using(f.anna, { ...f.anna.services, uploadHashes });
    await send(0, 4, { context });
    await hashes.close();
    expect(await codeOf(send(5, 9, { context }))).toMatchObject({ message: expect.stringContaining("closed") });
    expect(await send(5, 9)).toMatchObject({ hash: md5(text) });
  });

  test("are dropped when they are not used for long, and when the upload ends", async () => {
    let [now, sweep]: [number, () => void] = [0, () => {}];
    const hashes = new ThreadHashes();
    const close = jest.fn();
    const open = hashes.open.bind(hashes);
    hashes.open = (withMd5) => {
      const stream = open(withMd5);
      return Object.assign(stream, { close });
    };
    const uploadHashes = new UploadHashes({
      hashes,
      now: () => now,
      after: (milliseconds, call) => {
        sweep = () => {
          now += milliseconds;
          call();
        };
        return () => {};
      },
    });
    const context = using(f.anna, { ...f.anna.services, uploadHashes });
    await send(0, 4, { context });
    sweep();
    expect(close).toHaveBeenCalledTimes(1);
    expect(await send(5, 9, { context })).toMatchObject({ hash: md5(text) });
    expect(reads).toHaveBeenCalledTimes(2);
    await cancelUpload(context, id);
    expect(close).toHaveBeenCalledTimes(2);
    await hashes.close();
  });
});
