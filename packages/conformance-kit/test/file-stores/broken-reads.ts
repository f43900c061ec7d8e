import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import { type SegmentName, ServiceError } from "@sallyport/storage";
import {
  type BrokenFileStore,
  broken,
  changed,
  collected,
  contentOf,
  isName,
  keyOf,
  leaked,
} from "./broken-file-store.ts";

const pathOf = (directory: string, { file, segment }: SegmentName) => join(directory, file.slice(0, 2), file, segment);

/** Faults in reading. */
export const brokenReads: readonly BrokenFileStore[] = [
  broken("reads one byte less at the end of a chunk", "reads ranges at all edges", (store) => ({
    read: (name, { offset, length }) =>
      store.read(name, { offset, length: (offset + length) % 65_536 === 1 && length > 1 ? length - 1 : length }),
  })),

  broken(
    "takes the length for the end",
    ["reads three hundred random ranges", "reads ranges at all edges"],
    (store) => ({
      read: (name, { offset, length }) => store.read(name, { offset, length: Math.max(0, length - offset) }),
    }),
  ),

  broken("refuses an empty range", "reads no bytes for an empty range", (store) => ({
    read: async (name, range) => {
      if (range.length === 0) throw new ServiceError(707);
      return store.read(name, range);
    },
  })),

  broken(
    "cuts a range at the end of the segment",
    [
      "refuses a range beyond the end with 707, before the first byte",
      "refuses a segment that became shorter with 707",
    ],
    (store, directory) => ({
      read: async (name, { offset, length }) => {
        const { size } = await stat(pathOf(directory, name)).catch(() => ({ size: 0 }));
        const start = Math.min(offset, size);
        return store.read(name, { offset: start, length: Math.min(length, size - start) });
      },
    }),
  ),

  broken("fails at the first byte only", "refuses a missing segment with 707, before the first byte", (store) => ({
    read: async (name, range) =>
      (async function* () {
        yield* await store.read(name, range);
      })(),
  })),

  broken("reads nothing for a strange name", "refuses a text that is not a name with 707", (store) => ({
    read: async (name, range) =>
      isName(name.file) && isName(name.segment) ? store.read(name, range) : contentOf(new Uint8Array()),
  })),

  broken("gives concurrent readers one range", "reads a segment thirty times concurrently", (store) => {
    const running = new Map<string, Promise<Uint8Array[]>>();
    return {
      read: async (name, range) => {
        const reading = running.get(keyOf(name)) ?? store.read(name, range).then(collected);
        running.set(keyOf(name), reading);
        const chunks = await reading.finally(() => running.delete(keyOf(name)));
        return contentOf(...chunks);
      },
    };
  }),

  broken("lets all calls wait for a reader", "works while a reader pauses", (store) => {
    let last: Promise<unknown> = Promise.resolve();
    return {
      read: async (name, range) => {
        const reading = await store.read(name, range);
        const before = last;
        let release = () => {};
        last = new Promise<void>((resolve) => {
          release = resolve;
        });
        return (async function* () {
          await before;
          yield* reading;
          release();
        })();
      },
    };
  }),

  broken("goes on after return", "can be ended after the first chunk, and before it", (store) => ({
    read: async (name, range) => {
      const chunks = await collected(await store.read(name, range));
      const iterator = chunks[Symbol.iterator]();
      const step = async () => iterator.next();
      const iterable: AsyncIterableIterator<Uint8Array> = {
        next: step,
        return: async () => ({ done: true, value: undefined }),
        [Symbol.asyncIterator]: () => iterable,
      };
      return iterable;
    },
  })),

  broken("hands out its own cache", "hands out chunks that the caller may change and keep", (store) => {
    const cache = new Map<string, Uint8Array[]>();
    return {
      read: async (name, range) => {
        const key = `${keyOf(name)} ${range.offset} ${range.length}`;
        const chunks = cache.get(key) ?? (await collected(await store.read(name, range)));
        cache.set(key, chunks);
        return contentOf(...chunks);
      },
    };
  }),

  broken("ends early without an error", "fails with 707 if a segment becomes shorter during reading", (store) => ({
    read: async (name, range) => {
      const reading = await store.read(name, range);
      return (async function* () {
        try {
          yield* reading;
        } catch {
          return;
        }
      })();
    },
  })),

  broken(
    "opens a file before the first step of a generator",
    "closes the descriptors of reads that end early, fail or never start",
    (store) => ({
      read: async (name, range) => {
        const reading = await store.read(name, range);
        const handle = await open(import.meta.filename);
        leaked.push(handle);
        return (async function* () {
          try {
            yield* reading;
          } finally {
            await handle.close();
          }
        })();
      },
    }),
  ),

  broken("reads a range into memory", "writes and reads a large segment with flat memory", (store) => ({
    read: async (name, range) => contentOf(...(await collected(await store.read(name, range)))),
  })),

  broken("reads what it wrote from its memory", "writes many segments with flat memory", (store) => {
    const chunks: Uint8Array[] = [];
    return {
      write: (name, content) =>
        store.write(
          name,
          changed(content, (chunk) => {
            chunks.push(chunk);
            return chunk;
          }),
        ),
    };
  }),
];
