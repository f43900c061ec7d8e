import {
  AnswerTooLargeError,
  type NewObject,
  type ObjectOutline,
  type Repositories,
  seesAll,
  ServiceError,
} from "@sallyport/core";
import { type BrokenAdapter, broken } from "./broken-adapter.ts";

const tooLarge = (error: unknown): boolean => error instanceof ServiceError && error.code === 801;

/** An insertion that does something of its own where objects are too large. */
function insertingInstead(instead: (r: Repositories, objects: readonly NewObject[]) => Promise<unknown>) {
  return () => (r: Repositories) => ({
    objects: {
      insert: async (objects: readonly NewObject[]) => {
        try {
          return await r.objects.insert(objects);
        } catch (error) {
          if (tooLarge(error)) await instead(r, objects);
          throw error;
        }
      },
    },
  });
}

function outlining(change: (outline: ObjectOutline) => ObjectOutline) {
  return () => (r: Repositories) => ({
    objects: {
      outlines: async (...asked: Parameters<typeof r.objects.outlines>) =>
        (await r.objects.outlines(...asked)).map(change),
      match: async (...asked: Parameters<typeof r.objects.match>) => (await r.objects.match(...asked)).map(change),
    },
  });
}

/** Faults in the size of objects, in outlines, and in the bounds of what is read. */
export const brokenSizes: readonly BrokenAdapter[] = [
  broken(
    "keeps what fits of a batch",
    "are not created with 801 when they are too large, all or nothing",
    insertingInstead((r, objects) => r.objects.insert(objects.slice(0, 1))),
  ),

  broken(
    "says nothing of what is too large",
    "are not created with 801 when they are too large, all or nothing",
    () => (r) => ({
      objects: { insert: (objects) => r.objects.insert(objects).catch(() => []) },
    }),
  ),

  broken("has room for half of an object", "may be as large as an object may be", () => (r) => ({
    objects: {
      insert: (objects) => {
        if (JSON.stringify(objects).length > 600_000) throw new ServiceError(801);
        return r.objects.insert(objects);
      },
    },
  })),

  broken(
    "leaves an object as it is that would be too large",
    "cannot grow too large with 801, all or nothing",
    () => (r) => ({
      objects: {
        update: async (changes, by) => {
          try {
            return await r.objects.update(changes, by);
          } catch (error) {
            if (!tooLarge(error)) throw error;
            return r.objects.get(
              changes.map(({ id }) => id),
              seesAll,
            );
          }
        },
      },
    }),
  ),

  broken("changes the objects that stay small enough", "cannot grow too large with 801, all or nothing", () => (r) => ({
    objects: {
      update: async (changes, by) => {
        try {
          return await r.objects.update(changes, by);
        } catch (error) {
          if (tooLarge(error)) await r.objects.update(changes.slice(0, 1), by);
          throw error;
        }
      },
    },
  })),

  broken(
    "outlines objects with a time of its own",
    "are outlined as they are",
    outlining((outline) => ({ ...outline, storedAt: outline.storedAt + 1 })),
  ),

  broken(
    "measures in thousands",
    "are outlined with what their attributes take",
    outlining((outline) => ({ ...outline, bytes: outline.bytes / 1_000 })),
  ),

  broken(
    "matches in the order of the list",
    "match as they are found, by ascending number, and no more than asked for",
    () => (r) => ({
      objects: {
        match: async (query, visibility, atMost) => {
          const { objects } = await r.objects.find(query, visibility, { offset: 0, limit: atMost });
          const outlines = await r.objects.outlines(
            objects.map(({ id }) => id),
            seesAll,
          );
          return objects.flatMap(({ id }) => outlines.find((outline) => outline.id === id) ?? []);
        },
      },
    }),
  ),

  broken(
    "does not look at readers when it matches",
    "match as they are found, by ascending number, and no more than asked for",
    () => (r) => ({
      objects: {
        match: (query, visibility, atMost) => r.objects.match(query, { ...visibility, principals: null }, atMost),
      },
    }),
  ),

  broken(
    "matches all there are",
    "match as they are found, by ascending number, and no more than asked for",
    () => (r) => ({
      objects: { match: (query, visibility) => r.objects.match(query, visibility, 1_000) },
    }),
  ),

  broken(
    "reads by ids whatever it takes",
    "are not read by ids and UUIDs when they take more bytes than wanted",
    () => (r) => ({
      objects: { get: (ids, visibility) => r.objects.get(ids, visibility) },
    }),
  ),

  broken(
    "reads by UUIDs whatever it takes",
    "are not read by ids and UUIDs when they take more bytes than wanted",
    () => (r) => ({
      objects: {
        get: (which, visibility, bytes) => r.objects.get(which, visibility, "uuids" in which ? undefined : bytes),
      },
    }),
  ),

  broken(
    "refuses one object alone",
    "are not read by ids and UUIDs when they take more bytes than wanted",
    () => (r) => ({
      objects: {
        get: (which, visibility, bytes) =>
          r.objects.get("uuids" in which ? which : [...which, "ZZZZZZZZZZ"], visibility, bytes),
      },
    }),
  ),

  broken(
    "does not say that it is too much",
    "are not read by ids and UUIDs when they take more bytes than wanted",
    () => (r) => ({
      objects: {
        get: async (ids, visibility, bytes) => {
          try {
            return await r.objects.get(ids, visibility, bytes);
          } catch (error) {
            throw error instanceof AnswerTooLargeError ? new ServiceError(307) : error;
          }
        },
      },
    }),
  ),

  broken(
    "lists whatever it takes",
    [
      "are not listed when the page takes more bytes than wanted",
      "are not listed far from the beginning when the page takes more bytes than wanted",
    ],
    () => (r) => ({ objects: { find: (query, visibility, page) => r.objects.find(query, visibility, page) } }),
  ),

  broken(
    "measures the list instead of the page",
    "are not listed when the page takes more bytes than wanted",
    () => (r) => ({
      objects: {
        find: async (query, visibility, page, bytes) => {
          await r.objects.find(query, visibility, { ...page, limit: 1_000 }, bytes);
          return r.objects.find(query, visibility, page, bytes);
        },
      },
    }),
  ),

  broken("measures what is hidden by ids", "take nothing where they are not visible", () => (r) => ({
    objects: {
      get: async (ids, visibility, bytes) => {
        await r.objects.get(ids, seesAll, bytes);
        return r.objects.get(ids, visibility, bytes);
      },
    },
  })),

  broken("measures what is hidden in lists", "take nothing where they are not visible", () => (r) => ({
    objects: {
      find: async (query, visibility, page, bytes) => {
        await r.objects.find(query, { ...visibility, principals: null }, page, bytes);
        return r.objects.find(query, visibility, page, bytes);
      },
    },
  })),
];
