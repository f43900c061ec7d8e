import type { ByteRange, FileStore, SegmentName } from "@sallyport/storage";
import { equal, failsWith, isTrue } from "../assert/index.ts";
import { concurrently } from "../fixtures/concurrently.ts";
import { codeOf } from "../fixtures/error-of.ts";
import {
  bytesAt,
  bytesOf,
  hostileNames,
  holdsBytes,
  kibibyte,
  mebibyte,
  newName,
  sameBytes,
  seededNumbers,
  stored,
} from "./contents.ts";
import { type FileStoreCheck, fileStoreChecksOf } from "./file-store-check.ts";

/** Reads a range and compares it. */
async function readsRange(store: FileStore, name: SegmentName, bytes: Buffer, range: ByteRange): Promise<void> {
  const expected = bytes.subarray(range.offset, range.offset + range.length);
  sameBytes(await bytesAt(store, name, range), expected, `the range ${range.offset}+${range.length}`);
}

/** The iterator of a range. */
async function iteratorAt(store: FileStore, name: SegmentName, range: ByteRange): Promise<AsyncIterator<Uint8Array>> {
  return (await store.read(name, range))[Symbol.asyncIterator]();
}

export const readingChecks: readonly FileStoreCheck[] = fileStoreChecksOf("reading", {
  "reads ranges at all edges": async ({ store }) => {
    const bytes = bytesOf(mebibyte + 3);
    const name = await stored(store, bytes);
    const edges = [0, 1, 64 * kibibyte, 128 * kibibyte, mebibyte, bytes.length]
      .flatMap((edge) => [edge - 1, edge, edge + 1])
      .filter((edge) => edge >= 0 && edge <= bytes.length);
    for (const offset of edges) {
      for (const end of edges) {
        if (end >= offset) await readsRange(store, name, bytes, { offset, length: end - offset });
      }
    }
  },

  "reads three hundred random ranges": async ({ store }) => {
    const below = seededNumbers(707);
    for (const length of [1, 3_000, 300_000]) {
      const bytes = bytesOf(length, length);
      const name = await stored(store, bytes);
      for (let run = 0; run < 100; run += 1) {
        const offset = below(length + 1);
        await readsRange(store, name, bytes, { offset, length: below(length - offset + 1) });
      }
    }
  },

  "reads no bytes for an empty range": async ({ store }) => {
    const name = await stored(store, bytesOf(1_000));
    for (const offset of [0, 500, 1_000])
      equal((await bytesAt(store, name, { offset, length: 0 })).length, 0, `number of bytes at ${offset}`);
    const empty = await stored(store, new Uint8Array());
    equal((await bytesAt(store, empty, { offset: 0, length: 0 })).length, 0, "number of bytes of an empty segment");
  },

  "refuses a range beyond the end with 707, before the first byte": async ({ store }) => {
    for (const size of [0, 1, 100_000]) {
      const name = await stored(store, bytesOf(size));
      for (const range of [
        { offset: 0, length: size + 1 },
        { offset: size, length: 1 },
        { offset: size + 1, length: 0 },
        { offset: size + 1, length: 10 },
        { offset: 0, length: Number.MAX_SAFE_INTEGER },
      ])
        await failsWith(707, () => store.read(name, range), `reading ${range.offset}+${range.length} of ${size}`);
      await holdsBytes(store, name, bytesOf(size), "the segment");
    }
  },

  "refuses a missing segment with 707, before the first byte": async ({ store }) => {
    const { file, segment } = await stored(store, bytesOf(10));
    for (const length of [0, 1]) {
      await failsWith(707, () => store.read({ file, segment: newName() }, { offset: 0, length }), "another segment");
      await failsWith(707, () => store.read({ file: newName(), segment }, { offset: 0, length }), "another file");
    }
  },

  "refuses a text that is not a name with 707": async ({ store }) => {
    const { file, segment } = await stored(store, bytesOf(10));
    for (const text of hostileNames) {
      const what = `reading ${JSON.stringify(text)}`;
      await failsWith(707, () => store.read({ file, segment: text }, { offset: 0, length: 0 }), what);
      await failsWith(707, () => store.read({ file: text, segment }, { offset: 0, length: 0 }), what);
    }
  },

  "reads a segment thirty times concurrently": async ({ store }) => {
    const bytes = bytesOf(500_000);
    const name = await stored(store, bytes);
    await concurrently(30, (index) =>
      readsRange(store, name, bytes, { offset: index * 1_000, length: bytes.length - index * 3_000 }),
    );
  },

  "works while a reader pauses": async ({ store }) => {
    const bytes = bytesOf(2 * mebibyte);
    const name = await stored(store, bytes);
    const reading = await iteratorAt(store, name, { offset: 0, length: bytes.length });
    const chunks: Uint8Array[] = [];
    for (let step = await reading.next(); step.done !== true; step = await reading.next()) {
      chunks.push(step.value);
      if (chunks.length > 3) continue;
      await readsRange(store, name, bytes, { offset: 5, length: 100_000 });
      await holdsBytes(store, await stored(store, bytesOf(9)), bytesOf(9), "a segment written in a pause");
    }
    sameBytes(Buffer.concat(chunks), bytes, "the bytes of the slow reader");
  },

  "can be ended after the first chunk, and before it": async ({ store }) => {
    const bytes = bytesOf(2 * mebibyte);
    const name = await stored(store, bytes);
    for (const steps of [0, 1]) {
      const reading = await iteratorAt(store, name, { offset: 0, length: bytes.length });
      for (let step = 0; step < steps; step += 1) await reading.next();
      isTrue(reading.return !== undefined, "The iterator must have return");
      await reading.return();
      equal((await reading.next()).done, true, "whether a reading is over after return");
    }
    await holdsBytes(store, name, bytes, "the segment");
  },

  "hands out chunks that the caller may change and keep": async ({ store }) => {
    const bytes = bytesOf(400_000);
    const name = await stored(store, bytes);
    for await (const chunk of await store.read(name, { offset: 0, length: bytes.length })) chunk.fill(0);
    await holdsBytes(store, name, bytes, "the segment after a change of its chunks");
  },

  "refuses a segment that became shorter with 707": {
    needs: "shorten",
    run: async ({ store, shorten }) => {
      const name = await stored(store, bytesOf(200_000));
      await shorten(name, 150_000);
      for (const range of [
        { offset: 0, length: 200_000 },
        { offset: 149_999, length: 2 },
      ])
        await failsWith(707, () => store.read(name, range), `reading ${range.offset}+${range.length} of 150000`);
      sameBytes(
        await bytesAt(store, name, { offset: 0, length: 150_000 }),
        bytesOf(200_000).subarray(0, 150_000),
        "the remaining bytes",
      );
    },
  },

  "fails with 707 if a segment becomes shorter during reading": {
    needs: "shorten",
    run: async ({ store, shorten }) => {
      const bytes = bytesOf(4 * mebibyte);
      const name = await stored(store, bytes);
      const reading = await iteratorAt(store, name, { offset: 0, length: bytes.length });
      const chunks: Uint8Array[] = [];
      const code = await codeOf(
        (async () => {
          for (let step = await reading.next(); step.done !== true; step = await reading.next()) {
            chunks.push(step.value);
            if (chunks.length === 1) await shorten(name, 1_000);
          }
        })(),
      );
      const read = Buffer.concat(chunks);
      isTrue(code === 0 || code === 707, `The reading must succeed or fail with 707, not with ${code}`);
      // A store may have read ahead, but a reading that ends regularly is complete.
      sameBytes(read, code === 0 ? bytes : bytes.subarray(0, read.length), "the bytes until then");
    },
  },
});
