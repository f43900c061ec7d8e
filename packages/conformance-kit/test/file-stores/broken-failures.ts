import { mkdir, open } from "node:fs/promises";
import { type SegmentName, ServiceError } from "@sallyport/storage";
import { type BrokenFileStore, broken, codeOf, contentOf, isName, leaked } from "./broken-file-store.ts";

/** Contents that failed, with what was received of them. */
async function receivedOf(content: AsyncIterable<Uint8Array>): Promise<{ chunks: Uint8Array[]; error?: unknown }> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of content) chunks.push(chunk);
    return { chunks };
  } catch (error) {
    return { chunks, error };
  }
}

/** Faults in writes that fail. */
export const brokenFailures: readonly BrokenFileStore[] = [
  broken(
    "translates the error of a content",
    ["passes the error of a content that fails at once, and stores nothing"],
    (store) => ({
      write: async (name, content) => {
        try {
          return await store.write(name, content);
        } catch (error) {
          throw codeOf(error) === 0 ? new ServiceError(702, { cause: error }) : error;
        }
      },
    }),
  ),

  broken(
    "takes an error of a content for its own by its code",
    "passes the error of a content that fails half-way, and stores nothing",
    (store) => ({
      write: async (name, content) => {
        try {
          return await store.write(name, content);
        } catch (error) {
          throw Object(error).code === "ENOSPC" ? new ServiceError(702, { cause: error }) : error;
        }
      },
    }),
  ),

  broken(
    "keeps what it received of a failed content",
    [
      "passes the error of a content that fails half-way, and stores nothing",
      "has nothing of a failed write when it is opened again",
    ],
    (store) => ({
      write: async (name, content) => {
        const received = await receivedOf(content);
        const length = await store.write(name, contentOf(...received.chunks));
        if ("error" in received) throw received.error;
        return length;
      },
    }),
  ),

  broken("removes other segments with a failed one", "keeps other segments when a write fails", (store) => {
    const written: SegmentName[] = [];
    return {
      write: async (name, content) => {
        written.push(name);
        try {
          return await store.write(name, content);
        } catch (error) {
          await store.remove(written);
          throw error;
        }
      },
    };
  }),

  broken("reports errors of the disk as they are", "fails with 702 if it cannot store bytes", (store) => ({
    write: async (name, content) => {
      try {
        return await store.write(name, content);
      } catch (error) {
        throw codeOf(error) === 702 && isName(name.segment) && isName(name.file) ? (error as Error).cause : error;
      }
    },
  })),

  broken("repeats the cause of an error", "fails with 702 if it can no longer store bytes during a write", (store) => ({
    write: async (name, content) => {
      try {
        return await store.write(name, content);
      } catch (error) {
        if (codeOf(error) !== 702) throw error;
        const { cause } = error as Error;
        throw new ServiceError(702, { cause, detail: String(Object(cause).message) });
      }
    },
  })),

  broken("does not see that the store is gone", ["fails with 709 if the store goes during a write"], (store) => ({
    write: async (name, content) => {
      try {
        return await store.write(name, content);
      } catch (error) {
        throw codeOf(error) === 709 && !Object.isFrozen(error) && Object(error).cause?.code === "ENOENT"
          ? new ServiceError(702)
          : error;
      }
    },
  })),

  broken("makes the directory again", "fails with 709 once the store is gone", (store, directory) => ({
    create: async (file) => {
      await mkdir(directory, { recursive: true });
      await store.create(file);
    },
  })),

  broken("leaves a descriptor open when a write fails", "closes the descriptors of writes that fail", (store) => ({
    write: async (name, content) => {
      try {
        return await store.write(name, content);
      } catch (error) {
        leaked.push(await open(import.meta.filename));
        throw error;
      }
    },
  })),

  broken(
    "leaves a descriptor open at each removal",
    "closes the descriptors of complete reads and writes",
    (store) => ({
      remove: async (names) => {
        leaked.push(await open(import.meta.filename));
        await store.remove(names);
      },
    }),
  ),
];
