import { setImmediate } from "node:timers/promises";
import { isFullRun } from "@sallyport/test-kit/scope";
import fc from "fast-check";
import { bytesOf, gapless, partsOf, union } from "../../src/files/received-ranges.ts";
import { noFileCipher, ServiceError } from "@sallyport/storage";
import {
  codeOf,
  type FileFixture,
  incoming,
  md5,
  openFileFixture,
  SlowBytes,
  fileCipherOf,
  sha256,
  textOf,
} from "./file-fixture.ts";
import { beginUpload, storeChunk, finishUpload, readUpload, cancelUpload, storeFile } from "../../src/index.ts";

describe("requests for one upload at the same time", () => {
  let f: FileFixture;
  let id: string;

  beforeEach(async () => {
    f = await openFileFixture();
    id = (await beginUpload(f.anna)).uploadId;
  });

  const abc = { first: 0, last: 2, total: 3 };
  const send = (bytes: SlowBytes | string, range = abc) => storeChunk(f.anna, id, range, incoming(bytes));
  const finish = () => finishUpload(f.anna, id, { replace: null, expectedVersions: null, serialization: undefined });
  const state = () => readUpload(f.anna, id);

  /** A writer that has begun to receive bytes. */
  async function slowWriter(): Promise<{ readonly bytes: SlowBytes; readonly result: Promise<unknown> }> {
    const bytes = new SlowBytes();
    const result = codeOf(send(bytes));
    await bytes.started;
    return { bytes, result };
  }

  test.each([
    ["a chunk", () => send("abc"), 606],
    ["a whole file", () => storeChunk(f.anna, id, null, incoming("abc")), 606],
    ["the end", finish, 606],
    ["a cancellation", () => cancelUpload(f.anna, id), 605],
  ])("while a chunk is received, %s is refused", async (_what, call, code) => {
    const { bytes, result } = await slowWriter();
    bytes.send("ab");
    expect(await codeOf(call())).toBe(code);
    expect((await state()).size).toBe(0);
    bytes.send("c").end();
    expect(await result).toMatchObject({ size: 3 });
  });

  test("the next request can write at once after a failed one", async () => {
    const { bytes, result } = await slowWriter();
    bytes.fail(new ServiceError(699));
    expect(await result).toBe(699);
    expect((await send("abc")).size).toBe(3);
  });

  test("of many writers at once, one wins and the others are refused", async () => {
    const codes = await Promise.all(Array.from({ length: 8 }, () => codeOf(send("abc"))));
    expect(codes.filter((code) => code === 606)).toHaveLength(7);
    expect(await state()).toMatchObject({ size: 3, hash: md5("abc") });
    expect(f.files.segmentsOf(id.replaceAll("-", ""))).toBe(1);
  });

  test("of several ends at once, one creates the file", async () => {
    await send("abc");
    const results = await Promise.all(Array.from({ length: 5 }, () => codeOf(finish())));
    expect(results.filter((each) => typeof each === "object")).toHaveLength(1);
    expect(results.filter((each) => each === 603 || each === 606)).toHaveLength(4);
    expect(await f.r.objects.count({ classes: ["File"] }, { classes: null, principals: null })).toBe(1);
  });

  describe("a writer without a sign of life for five seconds", () => {
    test("is followed by the next one, and acknowledges nothing", async () => {
      const { bytes, result } = await slowWriter();
      f.clock.ahead += 4_900;
      expect(await codeOf(send("abc"))).toBe(606);
      f.clock.ahead += 200;
      expect((await send("xyz")).size).toBe(3);
      bytes.send("abc").end();
      expect(await result).toBe(606);
      expect(await state()).toMatchObject({ size: 3, hash: md5("xyz") });
      expect(f.files.segmentsOf(id.replaceAll("-", ""))).toBe(1);
    });

    test("is refused while the next one is writing, and does not disturb it", async () => {
      const late = await slowWriter();
      f.clock.ahead += 5_100;
      const next = await slowWriter();
      late.bytes.send("abc").end();
      expect(await late.result).toBe(606);
      next.bytes.send("xyz").end();
      expect(await next.result).toMatchObject({ size: 3, hash: md5("xyz") });
    });

    test("cannot revive a cancelled upload", async () => {
      const { bytes, result } = await slowWriter();
      f.clock.ahead += 5_100;
      await cancelUpload(f.anna, id);
      bytes.send("abc").end();
      expect([603, 606, 702]).toContain(await result);
      expect(await codeOf(state())).toBe(603);
      expect(f.files.names).toEqual([]);
    });
  });

  describe("bytes that keep flowing", () => {
    // The renewal follows the process's clock, the lease the storage's.
    const { now } = Date;
    let ahead = 0;

    beforeEach(() => {
      ahead = 0;
      Date.now = () => now() + ahead;
    });

    afterEach(() => {
      Date.now = now;
    });

    test("keep others out for longer than five seconds", async () => {
      const { bytes, result } = await slowWriter();
      for (const letter of ["a", "b", "c"]) {
        ahead += 4_000;
        bytes.send(letter);
        await turns();
        expect(await codeOf(send("xyz"))).toBe(606);
      }
      bytes.end();
      expect(await result).toMatchObject({ size: 3, hash: md5("abc") });
    });

    test("that stop for six seconds are accepted if no one has written since", async () => {
      const { bytes, result } = await slowWriter();
      ahead += 6_000;
      bytes.send("abc").end();
      expect(await result).toMatchObject({ size: 3, hash: md5("abc") });
    });

    test("that stop for six seconds are refused if others have written since", async () => {
      const { bytes, result } = await slowWriter();
      ahead += 6_000;
      await send("x", { first: 0, last: 0, total: 3 });
      bytes.send("abc").end();
      expect(await result).toBe(606);
      expect(await state()).toMatchObject({ size: 1, hash: md5("x") });
    });
  });

  describe("after the log-out", () => {
    const logOut = () => f.r.sessions.end({ digest: f.anna.sessionDigest });

    test("a chunk that was being received is refused", async () => {
      const { bytes, result } = await slowWriter();
      bytes.send("ab");
      await logOut();
      bytes.send("c").end();
      expect(await result).toBe(201);
      expect((await state()).size).toBe(0);
      expect(f.files.segmentsOf(id.replaceAll("-", ""))).toBe(0);
      expect(await f.r.records.list("storedBytes", { after: null, limit: 20 })).toEqual([]);
    });

    test("a file that was being received is refused", async () => {
      const bytes = new SlowBytes();
      const result = codeOf(storeFile(f.anna, incoming(bytes, { name: "a.txt" })));
      await bytes.started;
      await logOut();
      bytes.send("c").end();
      expect(await result).toBe(201);
      expect(f.files.names).toEqual([id.replaceAll("-", "")]);
      expect(await f.r.objects.count({ classes: ["File"] }, { classes: null, principals: null })).toBe(0);
    });

    test("an upload is not finished", async () => {
      await send("abc");
      await logOut();
      expect(await codeOf(finish())).toBe(201);
      expect((await state()).size).toBe(3);
    });
  });

  /** Lets pending promises settle. */
  async function turns(): Promise<void> {
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
  }
});

describe("ranges of an upload", () => {
  const ranges = (text: string) =>
    text === ""
      ? []
      : text.split(" ").map((each) => ({ first: Number(each.split("-")[0]), last: Number(each.split("-")[1]) }));

  test.each([
    ["", ""],
    ["0-9", "0-9"],
    ["0-9 10-19", "0-19"],
    ["10-19 0-8", "0-8 10-19"],
    ["0-99 10-19", "0-99"],
    ["5-9 0-6 20-29 9-19", "0-29"],
  ])("the union of %j is %j", (input, expected) => {
    expect(union(ranges(input))).toEqual(ranges(expected));
  });

  test.each([
    ["", 0],
    ["5-9", 0],
    ["0-9", 10],
    ["0-9 20-29", 10],
  ])("%j has bytes from 0 without a gap: %d", (input, expected) => {
    expect(gapless(ranges(input))).toBe(expected);
  });

  test.each([
    ["0-9", "", "0-9 new"],
    ["0-9", "0-9", "0-9 received"],
    ["2-5", "0-9", "2-5 received"],
    ["0-9", "5-19", "0-4 new, 5-9 received"],
    ["5-14", "0-9 12-13 20-29", "5-9 received, 10-11 new, 12-13 received, 14-14 new"],
    ["10-19", "0-9 20-29", "10-19 new"],
  ])("the chunk %s beside %j has the parts %s", (chunk, received, expected) => {
    const [range] = ranges(chunk) as [{ first: number; last: number }];
    const parts = partsOf(range, ranges(received));
    expect(parts.map(({ first, last, received: is }) => `${first}-${last} ${is ? "received" : "new"}`).join(", ")).toBe(
      expected,
    );
    expect(bytesOf(parts)).toBe(bytesOf([range]));
  });
});

describe.each([
  ["as they are", noFileCipher],
  ["encrypted", fileCipherOf(7)],
])("chunks stored %s", (_how, fileCipher) => {
  const size = 40;

  /** The ranges between cuts of a file. */
  function chunksBetween(cuts: readonly number[]): { readonly first: number; readonly last: number }[] {
    const ends = [...new Set(cuts), size].toSorted((one, other) => one - other);
    return ends.map((end, index) => ({ first: ends[index - 1] ?? 0, last: end - 1 }));
  }

  const uploads = fc
    .record({
      cuts: fc.array(fc.integer({ min: 1, max: size - 1 }), { maxLength: 8 }),
      text: fc.base64String({ minLength: size, maxLength: size }),
    })
    .chain(({ cuts, text }) => {
      const chunks = chunksBetween(cuts);
      const extra = fc
        .tuple(fc.nat(size - 1), fc.nat(size - 1))
        .map(([one, other]) => ({ first: Math.min(one, other), last: Math.max(one, other) }));
      return fc.record({
        text: fc.constant(text),
        order: fc
          .tuple(fc.array(fc.constantFrom(...chunks), { maxLength: 4 }), fc.array(extra, { maxLength: 3 }))
          .chain(([again, overlapping]) => {
            const all = [...chunks, ...again, ...overlapping];
            return fc.shuffledSubarray(all, { minLength: all.length });
          }),
        portion: fc.integer({ min: 1, max: size }),
      });
    });

  let f: FileFixture;

  beforeAll(async () => {
    f = await openFileFixture({}, { fileCipher });
  });

  test("any order, repetition and overlap of chunks gives the same bytes and digests", async () => {
    await fc.assert(
      fc.asyncProperty(uploads, async ({ text, order, portion }) => {
        const { uploadId } = await beginUpload(f.anna);
        const received = new Set<number>();
        for (const { first, last } of order) {
          const content = text.slice(first, last + 1);
          const inPortions = async function* () {
            for (let at = 0; at < content.length; at += portion) yield Buffer.from(content.slice(at, at + portion));
          };
          const state = await storeChunk(f.anna, uploadId, { first, last, total: size }, incoming(inPortions()));
          for (let at = first; at <= last; at += 1) received.add(at);
          let gapless = 0;
          while (received.has(gapless)) gapless += 1;
          expect(state).toMatchObject({ size: gapless, hash: md5(text.slice(0, gapless)) });
          expect(
            state.ranges.flatMap((range) => [range.last - range.first + 1]).reduce((sum, each) => sum + each, 0),
          ).toBe(received.size);
        }
        const { object } = await finishUpload(f.anna, uploadId, {
          replace: null,
          expectedVersions: null,
          serialization: undefined,
        });
        expect(object).toMatchObject({ Size: size, Sha256: sha256(text) });
        expect(await textOf(f, object["~ObjectID"])).toBe(text);
      }),
      { numRuns: isFullRun ? 60 : 20 },
    );
  });
});
