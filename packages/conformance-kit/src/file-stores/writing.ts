import { equal, failsWith } from "../assert/index.ts";
import { concurrently, sequentially, signal } from "../fixtures/concurrently.ts";
import {
  allFiles,
  bytesOf,
  chunked,
  hostileNames,
  holdsBytes,
  kibibyte,
  mebibyte,
  newName,
  pausedContent,
  seededNumbers,
  stored,
} from "./contents.ts";
import { type FileStoreCheck, fileStoreChecksOf } from "./file-store-check.ts";
import type { FileStoreSubject } from "./file-store-under-test.ts";

const wholeRange = { offset: 0, length: 1 };

export const creatingChecks: readonly FileStoreCheck[] = fileStoreChecksOf("creating", {
  "makes a file without segments": async ({ store }) => {
    const file = newName();
    await store.create(file);
    equal(await allFiles(store), [file], "the files");
    await failsWith(707, () => store.read({ file, segment: newName() }, wholeRange), "reading a segment of it");
  },

  "makes fifty files concurrently": async ({ store }) => {
    const names = Array.from({ length: 50 }, newName);
    await concurrently(names.length, (index) => store.create(names[index] ?? ""));
    equal(await allFiles(store), names.toSorted(), "the files");
  },

  "has the created files when it is opened again": async ({ store, reopen }) => {
    const file = newName();
    await store.create(file);
    const again = await reopen();
    equal(await allFiles(again), [file], "the files");
    const name = { file, segment: newName() };
    await again.write(name, chunked(bytesOf(10)));
    await holdsBytes(again, name, bytesOf(10), "a segment written afterwards");
  },

  "refuses a text that is not a name with 700": async ({ store }) => {
    for (const file of hostileNames) await failsWith(700, () => store.create(file), `creating ${JSON.stringify(file)}`);
    equal(await allFiles(store), [], "the files");
  },
});

/** Writes a segment in a new file, checks the returned length, and reads it. */
async function roundTrip({ store }: FileStoreSubject, bytes: Uint8Array, ...sizes: readonly number[]): Promise<void> {
  const name = { file: newName(), segment: newName() };
  await store.create(name.file);
  equal(await store.write(name, chunked(bytes, ...sizes)), bytes.length, "the returned length");
  await holdsBytes(store, name, bytes, `a segment in chunks of ${sizes.slice(0, 5).join(", ") || bytes.length}`);
}

export const writingChecks: readonly FileStoreCheck[] = fileStoreChecksOf("writing", {
  "stores a segment without bytes": (subject) => roundTrip(subject, new Uint8Array()),

  "stores a segment of one byte": (subject) => roundTrip(subject, Uint8Array.of(0)),

  "stores all values of a byte": (subject) =>
    roundTrip(
      subject,
      Uint8Array.from({ length: 65_536 }, (_, index) => (index >> 8) ^ index),
    ),

  "stores lengths around the sizes of blocks and buffers": async (subject) => {
    for (const size of [512, 4 * kibibyte, 16 * kibibyte, 64 * kibibyte, 128 * kibibyte, mebibyte]) {
      for (const length of [size - 1, size, size + 1]) await roundTrip(subject, bytesOf(length, length));
    }
  },

  "stores 16 MiB in one chunk": (subject) => roundTrip(subject, bytesOf(16 * mebibyte)),

  "stores 16 MiB in chunks of 64 KiB": (subject) => roundTrip(subject, bytesOf(16 * mebibyte), 64 * kibibyte),

  "stores twenty thousand small chunks in order": (subject) => roundTrip(subject, bytesOf(80_000), 1, 7, 2, 6, 4),

  "stores chunks of random sizes, some of them empty": async (subject) => {
    const below = seededNumbers(2_026);
    const sizes = Array.from({ length: 200 }, () => [0, 1, below(300), below(70_000), below(300_000)][below(5)] ?? 0);
    await roundTrip(subject, bytesOf(5 * mebibyte), ...sizes, 1);
  },

  "stores views into larger buffers": async ({ store }) => {
    const bytes = bytesOf(300_000);
    const name = { file: newName(), segment: newName() };
    await store.create(name.file);
    async function* views() {
      for (let offset = 0; offset < bytes.length; offset += 100_000) {
        const larger = new Uint8Array(150_000).fill(255);
        larger.set(bytes.subarray(offset, offset + 100_000), 7);
        yield larger.subarray(7, 100_007);
      }
    }
    equal(await store.write(name, views()), bytes.length, "the returned length");
    await holdsBytes(store, name, bytes, "the segment");
  },

  "does not keep the buffers of the writer": async ({ store }) => {
    const [bytes, buffer] = [bytesOf(100_000), bytesOf(100_000)];
    const name = { file: newName(), segment: newName() };
    await store.create(name.file);
    async function* reused() {
      yield buffer;
    }
    await store.write(name, reused());
    buffer.fill(0);
    await holdsBytes(store, name, bytes, "the segment after a change of the buffer");
  },

  "keeps the segments of a file apart": async ({ store }) => {
    const file = newName();
    await store.create(file);
    const segments = Array.from({ length: 60 }, newName);
    for (const [index, segment] of segments.entries())
      await store.write({ file, segment }, chunked(bytesOf(1_000 + index, index + 1)));
    for (const [index, segment] of segments.entries())
      await holdsBytes(store, { file, segment }, bytesOf(1_000 + index, index + 1), `segment ${index}`);
  },

  "keeps equal segment names of two files apart": async ({ store }) => {
    const segment = newName();
    const names = [newName(), newName()].map((file) => ({ file, segment }));
    for (const { file } of names) await store.create(file);
    for (const [index, name] of names.entries()) await store.write(name, chunked(bytesOf(5_000, index + 1)));
    for (const [index, name] of names.entries())
      await holdsBytes(store, name, bytesOf(5_000, index + 1), `file ${index}`);
  },

  "writes twenty segments of a file concurrently": async ({ store }) => {
    const file = newName();
    await store.create(file);
    const names = await concurrently(20, async (index) => {
      const name = { file, segment: newName() };
      equal(await store.write(name, chunked(bytesOf(200_000, index + 1), 5_000)), 200_000, "the returned length");
      return name;
    });
    for (const [index, name] of names.entries())
      await holdsBytes(store, name, bytesOf(200_000, index + 1), `segment ${index}`);
  },

  "writes twenty files concurrently": async ({ store }) => {
    const names = await concurrently(20, async (index) => {
      const name = { file: newName(), segment: newName() };
      await store.create(name.file);
      await store.write(name, chunked(bytesOf(150_000, index + 1), 5_000));
      return name;
    });
    for (const [index, name] of names.entries())
      await holdsBytes(store, name, bytesOf(150_000, index + 1), `file ${index}`);
  },

  "shows a segment only when it is complete": async ({ store }) => {
    const bytes = bytesOf(2 * mebibyte);
    const name = { file: newName(), segment: newName() };
    await store.create(name.file);
    const [reached, released] = [signal(), signal()];
    const writing = store.write(name, pausedContent(bytes, reached.fire, released.fired));
    await Promise.race([reached.fired, writing]);
    try {
      for (const length of [0, 1, mebibyte / 2])
        await failsWith(707, () => store.read(name, { offset: 0, length }), "reading it during the write");
    } finally {
      released.fire();
      await writing;
    }
    await holdsBytes(store, name, bytes, "the complete segment");
  },

  "lets no write wait for the content of another": async ({ store }) => {
    const file = newName();
    await store.create(file);
    const [reached, released] = [signal(), signal()];
    const slow = { file, segment: newName() };
    const writing = store.write(slow, pausedContent(bytesOf(mebibyte), reached.fire, released.fired));
    await Promise.race([reached.fired, writing]);
    try {
      await sequentially([1, 2, 3], async (seed) => {
        const name = { file, segment: newName() };
        await store.write(name, chunked(bytesOf(mebibyte, seed), 64 * kibibyte));
        await holdsBytes(store, name, bytesOf(mebibyte, seed), "another segment of the file");
        await holdsBytes(store, await stored(store, bytesOf(5)), bytesOf(5), "a segment of another file");
      });
    } finally {
      released.fire();
      await writing;
    }
    await holdsBytes(store, slow, bytesOf(mebibyte), "the slow segment");
  },

  "has the written segments when it is opened again": async ({ store, reopen }) => {
    const names = await sequentially([0, 1, 100_000, 3 * mebibyte], (length) => stored(store, bytesOf(length)));
    const again = await reopen();
    for (const [index, length] of [0, 1, 100_000, 3 * mebibyte].entries())
      await holdsBytes(again, names[index]!, bytesOf(length), `a segment of ${length} bytes`);
  },

  "refuses a text that is not a name with 702": async ({ store }) => {
    const { file, segment } = await stored(store, bytesOf(10));
    for (const text of hostileNames) {
      const what = `writing to ${JSON.stringify(text)}`;
      await failsWith(702, () => store.write({ file, segment: text }, chunked(bytesOf(1))), what);
      await failsWith(702, () => store.write({ file: text, segment }, chunked(bytesOf(1))), what);
    }
    equal(await allFiles(store), [file], "the files");
    await holdsBytes(store, { file, segment }, bytesOf(10), "the segment that was there");
  },

  "never leaves the store because of a name that looks like a path": {
    needs: "outside",
    run: async ({ store, outside }) => {
      const { file, segment } = await stored(store, bytesOf(10));
      const before = await outside();
      for (const text of hostileNames) {
        // Codes and answers are the subject of other checks.
        await store.create(text).catch(() => {});
        for (const name of [
          { file: text, segment },
          { file, segment: text },
          { file: text, segment: text },
        ]) {
          await store.write(name, chunked(bytesOf(1))).catch(() => {});
          await store.remove([name]).catch(() => {});
        }
        await store.remove({ file: text }).catch(() => {});
        await store.list({ after: text, limit: 10 }).catch(() => {});
        equal(await outside(), before, `what is outside the store, after calls with ${JSON.stringify(text)}`);
      }
    },
  },
});
