import fc from "fast-check";
import { type FileFixture, incoming, md5, openFileFixture, sha256, textOf } from "./file-fixture.ts";

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
  f = await openFileFixture();
});

test("any order, repetition and overlap of chunks gives the same bytes and digests", async () => {
  await fc.assert(
    fc.asyncProperty(uploads, async ({ text, order, portion }) => {
      const { uploadId } = await f.begin.beginUpload(f.anna);
      const held = new Set<number>();
      for (const { first, last } of order) {
        const content = text.slice(first, last + 1);
        const inPortions = async function* () {
          for (let at = 0; at < content.length; at += portion) yield Buffer.from(content.slice(at, at + portion));
        };
        const state = await f.chunk.storeChunk(f.anna, uploadId, { first, last, total: size }, incoming(inPortions()));
        for (let at = first; at <= last; at += 1) held.add(at);
        let gapless = 0;
        while (held.has(gapless)) gapless += 1;
        expect(state).toMatchObject({ size: gapless, hash: md5(text.slice(0, gapless)) });
        expect(
          state.ranges.flatMap((range) => [range.last - range.first + 1]).reduce((sum, each) => sum + each, 0),
        ).toBe(held.size);
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
