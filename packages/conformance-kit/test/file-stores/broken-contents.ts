import { createWriteStream } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { pipeline } from "node:stream/promises";
import { type FileStore, type SegmentName, ServiceError } from "@sallyport/storage";
import { type BrokenFileStore, broken, changed, collected, contentOf, isName, keyOf } from "./broken-file-store.ts";

const pathOf = (directory: string, { file, segment }: SegmentName) => join(directory, file.slice(0, 2), file, segment);

/** Memory in place of the store: for segments that a sound store has already written. */
function cached(store: FileStore, cache: Map<string, Uint8Array>): FileStore["read"] {
  return async (name, range) => {
    const bytes = cache.get(keyOf(name));
    if (bytes === undefined || range.offset + range.length > bytes.length) return store.read(name, range);
    return contentOf(bytes.subarray(range.offset, range.offset + range.length));
  };
}

/** Faults in creating and writing. */
export const brokenContents: readonly BrokenFileStore[] = [
  broken(
    "creates a file with its first segment",
    ["makes a file without segments", "makes fifty files concurrently"],
    (store) => {
      const created = new Set<string>();
      return {
        create: async (file) => {
          if (!isName(file)) throw new ServiceError(700);
          created.add(file);
        },
        write: async (name, content) => {
          if (created.delete(name.file)) await store.create(name.file);
          return store.write(name, content);
        },
      };
    },
  ),

  broken("keeps created files in memory only", "has the created files when it is opened again", (store) => {
    const created = new Set<string>();
    return {
      create: async (file) => {
        created.add(file);
      },
      write: async (name, content) => {
        if (created.has(name.file)) await store.create(name.file).catch(() => {});
        return store.write(name, content);
      },
      list: async () => Array.from(created, (file) => ({ file, age: 0 })),
    };
  }),

  broken("accepts any name of a file", "refuses a text that is not a name with 700", (store) => ({
    create: async (file) => {
      if (isName(file)) await store.create(file);
    },
  })),

  broken("blames the caller for a name", "refuses a text that is not a name with 702", (store) => ({
    write: async (name, content) => {
      if (!isName(name.segment)) throw new ServiceError(307);
      return store.write(name, content);
    },
  })),

  broken(
    "takes names as paths",
    ["never leaves the store because of a name that looks like a path", "refuses a text that is not a name with 702"],
    (store, directory) => ({
      write: async (name, content) => {
        const path = normalize(join(directory, name.file, name.segment));
        if (isName(name.file) && isName(name.segment)) return store.write(name, content);
        if (!path.startsWith(join(directory, ".."))) throw new ServiceError(702);
        await mkdir(dirname(path), { recursive: true }).catch(() => {});
        await writeFile(path, Buffer.concat(await collected(content))).catch(() => {});
        return 0;
      },
    }),
  ),

  broken("stores no empty segment", "stores a segment without bytes", (store) => ({
    write: async (name, content) => {
      const chunks = await collected(content);
      return chunks.length === 0 ? 0 : store.write(name, contentOf(...chunks));
    },
  })),

  broken("ends at an empty chunk", "stores chunks of random sizes, some of them empty", (store) => ({
    write: (name, content) => {
      let isOver = false;
      return store.write(
        name,
        changed(content, (chunk) => {
          isOver ||= chunk.length === 0;
          return isOver ? undefined : chunk;
        }),
      );
    },
  })),

  broken("stores texts", ["stores all values of a byte", "stores 16 MiB in one chunk"], (store) => ({
    write: (name, content) =>
      store.write(
        name,
        changed(content, (chunk) => Buffer.from(Buffer.from(chunk).toString("utf8"))),
      ),
  })),

  broken("loses what does not fill a block", "stores lengths around the sizes of blocks and buffers", (store) => ({
    write: async (name, content) => {
      const bytes = Buffer.concat(await collected(content));
      const kept = bytes.length > 65_536 ? bytes.length - (bytes.length % 512) : bytes.length;
      await store.write(name, contentOf(bytes.subarray(0, kept)));
      return bytes.length;
    },
  })),

  broken("stores the first 64 KiB of a chunk", "stores 16 MiB in one chunk", (store) => ({
    write: (name, content) =>
      store.write(
        name,
        changed(content, (chunk) => chunk.subarray(0, 65_536)),
      ),
  })),

  broken("stores every chunk of a large content twice", "stores 16 MiB in chunks of 64 KiB", (store) => ({
    write: (name, content) =>
      store.write(
        name,
        changed(content, (chunk, index) => (index === 200 ? Buffer.concat([chunk, chunk]) : chunk)),
      ),
  })),

  broken("swaps small chunks", "stores twenty thousand small chunks in order", (store) => ({
    write: async (name, content) => {
      const chunks = await collected(content);
      for (let index = 1; index < chunks.length; index += 1_000) {
        [chunks[index - 1], chunks[index]] = [chunks[index]!, chunks[index - 1]!];
      }
      return store.write(name, contentOf(...chunks));
    },
  })),

  broken("returns the number of chunks", "stores a segment of one byte", (store) => ({
    write: async (name, content) => {
      const chunks = await collected(content);
      await store.write(name, contentOf(...chunks));
      return chunks.length + 1;
    },
  })),

  broken("stores the buffer below a view", "stores views into larger buffers", (store) => ({
    write: (name, content) =>
      store.write(
        name,
        changed(content, (chunk) => (chunk.length === 100_000 ? new Uint8Array(chunk.buffer) : chunk)),
      ),
  })),

  broken("keeps the buffers of the writer", "does not keep the buffers of the writer", (store) => {
    const cache = new Map<string, Uint8Array>();
    return {
      write: (name, content) =>
        store.write(
          name,
          changed(content, (chunk) => {
            cache.set(keyOf(name), chunk);
            return chunk;
          }),
        ),
      read: cached(store, cache),
    };
  }),

  broken("keeps segments by their own name", "keeps equal segment names of two files apart", (store) => {
    const files = new Map<string, string>();
    return {
      write: (name, content) => {
        files.set(name.segment, name.file);
        return store.write(name, content);
      },
      read: ({ file, segment }, range) => store.read({ file: files.get(segment) ?? file, segment }, range),
    };
  }),

  broken("keeps the last segment of a file only", "keeps the segments of a file apart", (store) => {
    const last = new Map<string, SegmentName>();
    return {
      write: async (name, content) => {
        const length = await store.write(name, content);
        const former = last.get(name.file);
        if (former !== undefined) await store.remove([former]);
        last.set(name.file, name);
        return length;
      },
    };
  }),

  broken("uses one buffer for all writes into a file", "writes twenty segments of a file concurrently", (store) => {
    const buffers = new Map<string, Uint8Array[]>();
    return {
      write: async (name, content) => {
        const chunks = buffers.get(name.file) ?? [];
        buffers.set(name.file, chunks);
        for await (const chunk of content) chunks.push(chunk);
        return store.write(name, contentOf(...chunks.splice(0)));
      },
    };
  }),

  broken("uses one buffer for all files", "writes twenty files concurrently", (store) => {
    const chunks: Uint8Array[] = [];
    return {
      write: async (name, content) => {
        for await (const chunk of content) chunks.push(chunk);
        return store.write(name, contentOf(...chunks.splice(0)));
      },
    };
  }),

  broken("writes under the final name", "shows a segment only when it is complete", (_store, directory) => ({
    write: async (name, content) => {
      if (!isName(name.file)) throw new ServiceError(702);
      const stream = createWriteStream(pathOf(directory, name));
      await pipeline(content, stream);
      return stream.bytesWritten;
    },
  })),

  broken("writes one segment at a time", "lets no write wait for the content of another", (store) => {
    let last: Promise<unknown> = Promise.resolve();
    return {
      write: (name, content) => {
        const written = last.then(() => store.write(name, content));
        last = written.catch(() => {});
        return written;
      },
    };
  }),

  broken(
    "keeps segments in memory only",
    ["has the written segments when it is opened again", "writes many segments with flat memory"],
    (store) => {
      const cache = new Map<string, Uint8Array>();
      return {
        write: async (name, content) => {
          const bytes = Buffer.concat(await collected(content));
          cache.set(keyOf(name), bytes);
          return bytes.length;
        },
        read: cached(store, cache),
      };
    },
  ),

  broken("collects a content in memory", "writes and reads a large segment with flat memory", (store) => ({
    write: async (name, content) => store.write(name, contentOf(...(await collected(content)))),
  })),
];
