import { type FileStore, ServiceError } from "@sallyport/storage";
import { ConformanceError, equal, failsWith, isTrue } from "../assert/index.ts";
import { concurrently, signal } from "../fixtures/concurrently.ts";
import { codeOf } from "../fixtures/error-of.ts";
import {
  allFiles,
  bytesOf,
  chunked,
  failingContent,
  holdsBytes,
  mebibyte,
  newName,
  pausedContent,
  stored,
} from "./contents.ts";
import { type FileStoreCheck, fileStoreChecksOf } from "./file-store-check.ts";
import type { FileStoreSubject } from "./file-store-under-test.ts";

const contentErrors: readonly unknown[] = [
  new Error("The client is gone."),
  new ServiceError(606),
  new ServiceError(709),
  Object.assign(new Error("It looks like an error of the disk."), { code: "ENOSPC" }),
  { code: "ENOENT" },
  "a text",
  undefined,
];

/** Asserts that a write rejects with this very error, and that no segment exists afterwards. */
async function failsWithContent(store: FileStore, file: string, bytes: Uint8Array, error: unknown): Promise<void> {
  const name = { file, segment: newName() };
  let outcome: unknown = "the write succeeded";
  let isRejected = false;
  try {
    outcome = await store.write(name, failingContent(bytes, error));
  } catch (thrown) {
    [outcome, isRejected] = [thrown, true];
  }
  if (!isRejected || outcome !== error)
    throw new ConformanceError(`A write must reject with the error of its content, unchanged: ${String(error)}.`);
  await failsWith(707, () => store.read(name, { offset: 0, length: 0 }), "reading the failed segment");
}

/** Starts a write, and acts while it waits for its content. */
async function duringWrite(
  { store }: FileStoreSubject,
  file: string,
  act: () => Promise<void>,
  check: (write: () => Promise<unknown>) => Promise<unknown>,
): Promise<void> {
  const [reached, released] = [signal(), signal()];
  const name = { file, segment: newName() };
  const writing = store.write(name, pausedContent(bytesOf(mebibyte), reached.fire, released.fired));
  // Handled by `check`, later.
  writing.catch(() => {});
  await Promise.race([reached.fired, writing]);
  try {
    await act();
  } finally {
    released.fire();
  }
  await check(() => writing);
  await failsWith(707, () => store.read(name, { offset: 0, length: 0 }), "reading the failed segment");
}

export const failureChecks: readonly FileStoreCheck[] = fileStoreChecksOf("failures", {
  "passes the error of a content that fails at once, and stores nothing": async ({ store }) => {
    const file = newName();
    await store.create(file);
    for (const error of contentErrors) await failsWithContent(store, file, new Uint8Array(), error);
  },

  "passes the error of a content that fails half-way, and stores nothing": async ({ store }) => {
    const file = newName();
    await store.create(file);
    for (const error of contentErrors) await failsWithContent(store, file, bytesOf(3 * mebibyte), error);
  },

  "has nothing of a failed write when it is opened again": async ({ store, reopen }) => {
    const file = newName();
    await store.create(file);
    const name = { file, segment: newName() };
    await store.write(name, failingContent(bytesOf(mebibyte), new Error("lost"))).catch(() => {});
    const again = await reopen();
    await failsWith(707, () => again.read(name, { offset: 0, length: 0 }), "reading the failed segment");
  },

  "keeps other segments when a write fails": async ({ store }) => {
    const { file, segment } = await stored(store, bytesOf(200_000));
    const names = Array.from({ length: 10 }, () => ({ file, segment: newName() }));
    await concurrently(names.length, async (index) => {
      const bytes = bytesOf(200_000, index + 1);
      const content = index % 2 === 0 ? chunked(bytes, 9_000) : failingContent(bytes, new Error("lost"));
      await store.write(names[index]!, content).catch((error: unknown) => {
        if (index % 2 === 0) throw error;
      });
    });
    await holdsBytes(store, { file, segment }, bytesOf(200_000), "the segment that was there");
    for (const [index, name] of names.entries()) {
      if (index % 2 === 0) await holdsBytes(store, name, bytesOf(200_000, index + 1), "a concurrent segment");
      else await failsWith(707, () => store.read(name, { offset: 0, length: 0 }), "reading the failed segment");
    }
  },

  "removes a file in which writes have failed": async ({ store }) => {
    const file = newName();
    await store.create(file);
    await store
      .write({ file, segment: newName() }, failingContent(bytesOf(mebibyte), new Error("lost")))
      .catch(() => {});
    await store.remove({ file });
    equal(await allFiles(store), [], "the files");
  },

  "fails with 702 if it cannot store bytes": {
    needs: "obstruct",
    run: async ({ store, obstruct }) => {
      const { file } = await stored(store, bytesOf(100));
      const other = await stored(store, bytesOf(100));
      await obstruct(file);
      for (const bytes of [bytesOf(1), bytesOf(mebibyte)]) {
        const name = { file, segment: newName() };
        await failsWith(702, () => store.write(name, chunked(bytes, 10_000)), "writing without space");
        await failsWith(707, () => store.read(name, { offset: 0, length: 0 }), "reading the failed segment");
      }
      await holdsBytes(store, other, bytesOf(100), "the segment of another file");
    },
  },

  "fails with 702 if it can no longer store bytes during a write": {
    needs: "obstruct",
    run: async (subject) => {
      const { file } = await stored(subject.store, bytesOf(100));
      await duringWrite(
        subject,
        file,
        () => subject.obstruct(file),
        (write) => failsWith(702, write, "writing while the space ends"),
      );
    },
  },

  "fails with 709 once the store is gone": {
    needs: "takeAway",
    run: async ({ store, takeAway }) => {
      const { file } = await stored(store, bytesOf(100));
      await takeAway();
      const write = () => store.write({ file, segment: newName() }, chunked(bytesOf(mebibyte), 10_000));
      await failsWith(709, () => store.create(newName()), "creating a file");
      await failsWith(709, write, "writing a segment");
      await failsWith(709, () => store.list({ after: null, limit: 1 }), "listing files");
      const free = await codeOf(store.freeBytes().then((bytes) => equal(bytes, null, "the free bytes")));
      isTrue(
        free === 0 || free === 709,
        `Asking for the free bytes must fail with 709 or answer null, not fail with ${free}`,
      );
    },
  },

  "fails with 709 if the store goes during a write": {
    needs: "takeAway",
    run: async (subject) => {
      const { file } = await stored(subject.store, bytesOf(100));
      await duringWrite(subject, file, subject.takeAway, (write) =>
        failsWith(709, write, "writing while the store goes"),
      );
    },
  },

  "answers 707 to reads and ignores removals once the store is gone": {
    needs: "takeAway",
    run: async ({ store, takeAway }) => {
      const name = await stored(store, bytesOf(100));
      await takeAway();
      await failsWith(707, () => store.read(name, { offset: 0, length: 1 }), "reading a segment");
      await store.remove([name]);
      await store.remove({ file: name.file });
    },
  },
});
