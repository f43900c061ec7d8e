import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type FileStore, type FoundFile, type SegmentName, ServiceError } from "@sallyport/storage";
import { type BrokenFileStore, broken, codeOf, keyOf } from "./broken-file-store.ts";

const pathOf = (directory: string, { file, segment }: SegmentName) => join(directory, file.slice(0, 2), file, segment);

const all = (store: FileStore) => store.list({ after: null, limit: 10_000 });

/** The list with a changed age. */
const aged = (change: (found: FoundFile) => number) => (store: FileStore) => ({
  list: async (page: Parameters<FileStore["list"]>[0]) =>
    (await store.list(page)).map((found) => ({ ...found, age: change(found) })),
});

/** Faults in removing and listing. */
export const brokenRemovalsAndLists: readonly BrokenFileStore[] = [
  broken("removes the first of several segments", "removes segments and keeps the others", (store) => ({
    remove: (names) => store.remove("file" in names ? names : names.slice(0, 1)),
  })),

  broken("removes the file of a segment", "removes segments and keeps the others", (store) => ({
    remove: async (names) => {
      if ("file" in names) return store.remove(names);
      for (const { file } of names) await store.remove({ file });
    },
  })),

  broken("keeps the segments of a removed file", "removes a file with all its segments, and no other", (store) => {
    const removed = new Set<string>();
    return {
      remove: async (names) => {
        if ("file" in names) removed.add(names.file);
        else await store.remove(names);
      },
      list: async (page) => (await store.list(page)).filter(({ file }) => !removed.has(file)),
    };
  }),

  broken(
    "keeps empty files",
    ["removes a file without segments", "removes a file in which writes have failed"],
    (store) => {
      const segments = new Set<string>();
      return {
        write: async (name, content) => {
          const length = await store.write(name, content);
          segments.add(name.file);
          return length;
        },
        remove: async (names) => {
          if (!("file" in names) || segments.has(names.file)) await store.remove(names);
        },
      };
    },
  ),

  broken(
    "refuses to remove what is missing",
    ["ignores missing segments and files", "answers 707 to reads and ignores removals once the store is gone"],
    (store, directory) => ({
      remove: async (names) => {
        const paths = "file" in names ? [] : names.map((name) => pathOf(directory, name));
        for (const path of paths)
          await stat(path).catch((cause: unknown) => Promise.reject(new ServiceError(707, { cause })));
        await store.remove(names);
      },
    }),
  ),

  broken("stops at a missing segment", "ignores missing segments and files", (store, directory) => ({
    remove: async (names) => {
      if ("file" in names) return store.remove(names);
      for (const name of names) {
        if ((await stat(pathOf(directory, name)).catch(() => null)) === null) return;
        await store.remove([name]);
      }
    },
  })),

  broken("removes a file once at a time", "removes the same file and segments concurrently", (store) => {
    const running = new Set<string>();
    return {
      remove: async (names) => {
        const keys = "file" in names ? [names.file] : names.map(keyOf);
        if (keys.some((key) => running.has(key))) throw new ServiceError(702);
        for (const key of keys) running.add(key);
        await store.remove(names);
        for (const key of keys) running.delete(key);
      },
    };
  }),

  broken("removes in memory only", "has no removed segment and file when it is opened again", (store) => {
    const removed = new Set<string>();
    return {
      remove: async (names) => {
        for (const key of "file" in names ? [names.file] : names.map(keyOf)) removed.add(key);
      },
      read: async (name, range) => {
        if (removed.has(name.file) || removed.has(keyOf(name))) throw new ServiceError(707);
        return store.read(name, range);
      },
      list: async (page) => (await store.list(page)).filter(({ file }) => !removed.has(file)),
    };
  }),

  broken("removes by prefix", "ignores a text that is not a name, and removes nothing for it", (store) => ({
    remove: async (names) => {
      if (!("file" in names)) return store.remove(names);
      for (const { file } of await all(store).catch(() => []))
        if (file.startsWith(names.file)) await store.remove({ file });
    },
  })),

  broken(
    "overwrites before it removes",
    "gives readers the right bytes or 707 during a removal",
    (store, directory) => ({
      remove: async (names) => {
        for (const name of "file" in names ? [] : names) {
          const handle = await open(pathOf(directory, name), "r+").catch(() => null);
          await handle?.write(Buffer.alloc(1_048_576), 0, 1_048_576, 0);
          await handle?.close();
          await pause(50);
        }
        await store.remove(names);
      },
    }),
  ),

  broken(
    "removes all files that are written to",
    ["removes a file during writes without harm to other files", "removes a file with all its segments, and no other"],
    (store) => ({
      remove: async (names) => {
        if (!("file" in names)) return store.remove(names);
        for (const { file } of await all(store)) await store.remove({ file });
      },
    }),
  ),

  broken("makes up a file", "answers an empty page without files", (store) => ({
    list: async (page) => {
      const found = await store.list(page);
      return found.length === 0 && page.after === null ? [{ file: "0".repeat(32), age: 0 }] : found;
    },
  })),

  broken("lists in the order of creation", "lists each file once, in the order of names, for any limit", (store) => {
    const created: string[] = [];
    return {
      create: async (file) => {
        await store.create(file);
        created.push(file);
      },
      list: async ({ after, limit }) => {
        const start = after === null ? 0 : created.indexOf(after) + 1;
        return created.slice(start, start + limit).map((file) => ({ file, age: 0 }));
      },
    };
  }),

  broken("ignores the limit", "lists each file once, in the order of names, for any limit", (store) => ({
    list: ({ after }) => store.list({ after, limit: 10_000 }),
  })),

  broken(
    "forgets one file at the end of a page",
    "lists each file once, in the order of names, for any limit",
    (store) => ({
      list: async ({ after, limit }) => {
        const found = await store.list({ after, limit: limit + 1 });
        return after === null ? found.slice(0, limit) : found.slice(1);
      },
    }),
  ),

  broken("starts again after an unknown name", "continues after a name that is not there", (store) => ({
    list: async ({ after, limit }) => {
      const isKnown = (await all(store)).some(({ file }) => file === after);
      return store.list({ after: isKnown ? after : null, limit });
    },
  })),

  broken("lists files with segments only", "lists files of interrupted writes", (store) => {
    const written = new Set<string>();
    return {
      write: async (name, content) => {
        const length = await store.write(name, content);
        written.add(name.file);
        return length;
      },
      list: async (page) => (await store.list(page)).filter(({ file }) => written.has(file)),
    };
  }),

  broken("lists a file for each segment", "lists a file once, however many segments it has", (store) => {
    const segments: string[] = [];
    return {
      write: async (name, content) => {
        segments.push(name.file);
        return store.write(name, content);
      },
      list: async (page) => {
        const found = await store.list(page);
        return found
          .flatMap((each) => segments.filter((file) => file === each.file).map(() => each))
          .slice(0, page.limit);
      },
    };
  }),

  broken("lists by position", "omits and repeats no file while others come and go", (store) => {
    let position = 0;
    return {
      list: async ({ after, limit }) => {
        position = after === null ? 0 : position;
        const page = (await all(store)).slice(position, position + limit);
        position += page.length;
        return page;
      },
    };
  }),

  broken(
    "shows the time instead of the age",
    "shows that a new file is young",
    aged(({ age }) => Date.now() - age),
  ),

  broken(
    "shows seconds",
    "shows the milliseconds since the last segment was added",
    aged(({ age }) => age / 1_000),
  ),

  broken("shows the age since the creation", "shows the milliseconds since the last segment was added", (store) => {
    const oldest = new Map<string, number>();
    return aged(({ file, age }) => {
      oldest.set(file, Math.max(age, oldest.get(file) ?? 0));
      return oldest.get(file) ?? 0;
    })(store);
  }),

  broken("lists the files of its own instance only", "lists and reads the files of another instance", (store) => {
    const mine = new Set<string>();
    return {
      create: async (file) => {
        mine.add(file);
        await store.create(file);
      },
      list: async (page) => (await store.list(page)).filter(({ file }) => mine.has(file)),
    };
  }),

  broken("does not know a number of free bytes", "knows how many bytes it can still store, or answers null", () => ({
    freeBytes: async () => Number.POSITIVE_INFINITY,
  })),

  broken("does not notice that the store is gone", "fails with 709 once the store is gone", (store) => ({
    list: async (page) => {
      try {
        return await store.list(page);
      } catch (error) {
        if (codeOf(error) === 709) return [];
        throw error;
      }
    },
  })),
];
