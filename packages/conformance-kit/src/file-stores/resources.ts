import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { equal, isTrue } from "../assert/index.ts";
import { codeOf } from "../fixtures/error-of.ts";
import { bytesOf, chunked, failingContent, kibibyte, mebibyte, newName, stored } from "./contents.ts";
import { type FileStoreCheck, fileStoreChecksOf } from "./file-store-check.ts";

const descriptors = "/proc/self/fd";

/** Whether this system lists the open descriptors of a process. */
export const listsDescriptors = existsSync(descriptors);

/** Bytes between two samples, and growth that no store exceeds. A store that collects contents exceeds it soon. */
const [sampleEvery, maxGrowth] = [32 * mebibyte, 32 * mebibyte];

/** Measures the growth of memory in use: of the heap, and of buffers outside it. */
function memoryGauge(): { readonly sample: () => void; readonly growth: () => number } {
  // Without a collection, the figure would include garbage, which Node lets grow to the size of a large content.
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const used = () => {
    // The second collection waits until the buffers that the first has found are freed.
    collect();
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  // What was freed since the start, such as a content of the check before, must not hide a growth.
  let least = used();
  let growth = 0;
  return {
    sample: () => {
      const now = used();
      least = Math.min(least, now);
      growth = Math.max(growth, now - least);
    },
    growth: () => growth,
  };
}

/** A content of this size in new buffers of 256 KiB, with its digest. Calls `onSample` regularly. */
async function* largeContent(
  size: number,
  digest: { update(data: Uint8Array): unknown },
  onSample: () => void,
): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < size; offset += 256 * kibibyte) {
    const chunk = bytesOf(Math.min(256 * kibibyte, size - offset), offset + 1);
    digest.update(chunk);
    yield chunk;
    if (offset % sampleEvery === 0) onSample();
  }
  onSample();
}

/** Asserts that repeated work leaves no descriptors open. */
async function closesDescriptors(work: () => Promise<unknown>): Promise<void> {
  // Opens what stays open, such as the connections of a pool.
  await work();
  const before = readdirSync(descriptors).length;
  // Not concurrently: then a pool would grow.
  for (let repetition = 0; repetition < 30; repetition += 1) await work();
  const open = () => readdirSync(descriptors).length - before;
  // Connections close a little later. Other parts of the process may open a few at the same time.
  for (let pauses = 0; open() >= 15 && pauses < 20; pauses += 1) await pause(50);
  const left = open();
  isTrue(left < 15, `After 30 repetitions, ${left} more descriptors are open`);
}

export const resourceChecks: readonly FileStoreCheck[] = fileStoreChecksOf("resources", {
  "writes and reads a large segment with flat memory": async ({ store, largeSize }) => {
    const name = { file: newName(), segment: newName() };
    await store.create(name.file);
    const [written, read] = [createHash("sha256"), createHash("sha256")];
    const writing = memoryGauge();
    equal(await store.write(name, largeContent(largeSize, written, writing.sample)), largeSize, "the returned length");
    const reading = memoryGauge();
    let [length, sampled] = [0, 0];
    for await (const chunk of await store.read(name, { offset: 0, length: largeSize })) {
      read.update(chunk);
      length += chunk.length;
      if (length - sampled < sampleEvery) continue;
      reading.sample();
      sampled = length;
    }
    equal(length, largeSize, "number of read bytes");
    equal(read.digest("hex"), written.digest("hex"), "the digest of the read bytes");
    for (const [what, { growth }] of Object.entries({ writing, reading }))
      isTrue(growth() < maxGrowth, `The memory must not grow by ${growth()} bytes while ${what} ${largeSize} bytes`);
  },

  "writes many segments with flat memory": async ({ store, largeSize }) => {
    const file = newName();
    await store.create(file);
    const [gauge, sizeOfEach] = [memoryGauge(), 2 * mebibyte];
    for (let offset = 0; offset < largeSize / 4; offset += sizeOfEach) {
      await store.write({ file, segment: newName() }, chunked(bytesOf(sizeOfEach, offset + 1), 64 * kibibyte));
      if (offset % sampleEvery === 0) gauge.sample();
    }
    gauge.sample();
    const growth = gauge.growth();
    isTrue(
      growth < Math.min(maxGrowth, largeSize / 8),
      `The memory must not grow by ${growth} bytes with the segments`,
    );
  },

  "closes the descriptors of writes that fail": {
    needs: "descriptors",
    run: async ({ store }) => {
      const file = newName();
      await store.create(file);
      await closesDescriptors(() =>
        store.write({ file, segment: newName() }, failingContent(bytesOf(100_000), new Error("lost"))).catch(() => {}),
      );
    },
  },

  "closes the descriptors of reads that end early, fail or never start": {
    needs: "descriptors",
    run: async ({ store }) => {
      const name = await stored(store, bytesOf(300_000));
      const range = { offset: 0, length: 300_000 };
      await closesDescriptors(async () => {
        for await (const chunk of await store.read(name, range)) if (chunk.length > 0) break;
        const unstarted = (await store.read(name, range))[Symbol.asyncIterator]();
        await unstarted.return?.();
        const empty = (await store.read(name, { offset: 5, length: 0 }))[Symbol.asyncIterator]();
        equal((await empty.next()).done, true, "whether an empty range is over");
        await codeOf(store.read(name, { offset: 0, length: 300_001 }));
      });
    },
  },

  "closes the descriptors of complete reads and writes": {
    needs: "descriptors",
    run: async ({ store }) => {
      await closesDescriptors(async () => {
        const name = await stored(store, bytesOf(200_000));
        for await (const chunk of await store.read(name, { offset: 0, length: 200_000 })) chunk.fill(0);
        await store.list({ after: null, limit: 5 });
        await store.remove({ file: name.file });
      });
    },
  },
});
