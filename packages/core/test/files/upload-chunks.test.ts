import fc from "fast-check";
import { bytesOf, from, partsOf, union } from "../../src/files/received-ranges.ts";
import { noFileCipher } from "../../src/index.ts";
import { type FileFixture, fileCipherOf, incoming, md5, openFileFixture, sha256, textOf } from "./file-fixture.ts";

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
  ])("the union of %j is %j", (given, expected) => {
    expect(union(ranges(given))).toEqual(ranges(expected));
  });

  test.each([
    [0, "5-9", "5-9"],
    [5, "0-9 20-29", "5-9 20-29"],
    [10, "0-9 20-29", "20-29"],
    [30, "0-9 20-29", ""],
  ])("from %d on, %j is %j", (offset, given, expected) => {
    expect(from(offset, ranges(given))).toEqual(ranges(expected));
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
        const { uploadId } = await f.begin.beginUpload(f.anna);
        const received = new Set<number>();
        for (const { first, last } of order) {
          const content = text.slice(first, last + 1);
          const inPortions = async function* () {
            for (let at = 0; at < content.length; at += portion) yield Buffer.from(content.slice(at, at + portion));
          };
          const state = await f.chunk.storeChunk(
            f.anna,
            uploadId,
            { first, last, total: size },
            incoming(inPortions()),
          );
          for (let at = first; at <= last; at += 1) received.add(at);
          let gapless = 0;
          while (received.has(gapless)) gapless += 1;
          expect(state).toMatchObject({ size: gapless, hash: md5(text.slice(0, gapless)) });
          expect(
            state.ranges.flatMap((range) => [range.last - range.first + 1]).reduce((sum, each) => sum + each, 0),
          ).toBe(received.size);
        }
        const { object } = await f.finish.finishUpload(f.anna, uploadId, {
          replace: null,
          expectedVersions: null,
          serialization: undefined,
        });
        expect(object).toMatchObject({ Size: size, Sha256: sha256(text) });
        expect(await textOf(f, object["~ObjectID"])).toBe(text);
      }),
      { numRuns: 60 },
    );
  });
});
