import {
  AnswerTooLargeError,
  type NewObject,
  type ObjectOutline,
  type Repositories,
  seesAll,
  ServiceError,
} from "@sallyport/storage";
import { type BrokenAdapter, broken } from "./broken-adapter.ts";

const tooLarge = (error: unknown): boolean => error instanceof ServiceError && error.code === 801;

/** An insertion with its own handling of oversized objects. */
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

/** Faults in object sizes, outlines and byte limits. */
export const brokenSizes: readonly BrokenAdapter[] = [
  broken(
    "stores the objects of a call that are small enough",
    "refuses to create an oversized object with 801, all or nothing",
    insertingInstead((r, objects) => r.objects.insert(objects.slice(0, 1))),
  ),

  broken(
    "ignores oversized objects without an error",
    "refuses to create an oversized object with 801, all or nothing",
    () => (r) => ({
      objects: { insert: (objects) => r.objects.insert(objects).catch(() => []) },
    }),
  ),

  broken("stores half of the maximum size", "stores objects up to the maximum size", () => (r) => ({
    objects: {
      insert: (objects) => {
        if (JSON.stringify(objects).length > 600_000) throw new ServiceError(801);
        return r.objects.insert(objects);
      },
    },
  })),

  broken(
    "ignores an update that would exceed the size",
    "refuses to grow an object beyond the maximum size with 801, all or nothing",
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

  broken(
    "updates the objects that stay small enough",
    "refuses to grow an object beyond the maximum size with 801, all or nothing",
    () => (r) => ({
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
    }),
  ),

  broken(
    "returns outlines with another time",
    "returns the outlines of objects",
    outlining((outline) => ({ ...outline, storedAt: outline.storedAt + 1 })),
  ),

  broken(
    "returns sizes in thousands of bytes",
    "returns the byte size of the attributes in an outline",
    outlining((outline) => ({ ...outline, bytes: outline.bytes / 1_000 })),
  ),

  broken("returns matches in list order", "returns matches in ascending order up to the limit", () => (r) => ({
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
  })),

  broken("ignores readers in matches", "returns matches in ascending order up to the limit", () => (r) => ({
    objects: {
      match: (query, visibility, atMost) => r.objects.match(query, { ...visibility, principals: null }, atMost),
    },
  })),

  broken("ignores the limit of matches", "returns matches in ascending order up to the limit", () => (r) => ({
    objects: { match: (query, visibility) => r.objects.match(query, visibility, 1_000) },
  })),

  broken(
    "ignores the byte limit in reads by IDs",
    "refuses to read objects by IDs and UUIDs beyond the byte limit",
    () => (r) => ({
      objects: { get: (ids, visibility) => r.objects.get(ids, visibility) },
    }),
  ),

  broken(
    "ignores the byte limit in reads by UUIDs",
    "refuses to read objects by IDs and UUIDs beyond the byte limit",
    () => (r) => ({
      objects: {
        get: (which, visibility, bytes) => r.objects.get(which, visibility, "uuids" in which ? undefined : bytes),
      },
    }),
  ),

  broken(
    "refuses a single object at the byte limit",
    "refuses to read objects by IDs and UUIDs beyond the byte limit",
    () => (r) => ({
      objects: {
        get: (which, visibility, bytes) =>
          r.objects.get("uuids" in which ? which : [...which, "ZZZZZZZZZZ"], visibility, bytes),
      },
    }),
  ),

  broken(
    "throws another error beyond the byte limit",
    "refuses to read objects by IDs and UUIDs beyond the byte limit",
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
    "ignores the byte limit in lists",
    ["refuses to list a page beyond the byte limit", "refuses to list a distant page beyond the byte limit"],
    () => (r) => ({ objects: { find: (query, visibility, page) => r.objects.find(query, visibility, page) } }),
  ),

  broken("measures the list instead of the page", "refuses to list a page beyond the byte limit", () => (r) => ({
    objects: {
      find: async (query, visibility, page, bytes) => {
        await r.objects.find(query, visibility, { ...page, limit: 1_000 }, bytes);
        return r.objects.find(query, visibility, page, bytes);
      },
    },
  })),

  broken(
    "counts invisible objects in reads by IDs towards the byte limit",
    "does not count invisible objects towards the byte limit",
    () => (r) => ({
      objects: {
        get: async (ids, visibility, bytes) => {
          await r.objects.get(ids, seesAll, bytes);
          return r.objects.get(ids, visibility, bytes);
        },
      },
    }),
  ),

  broken(
    "counts invisible objects in lists towards the byte limit",
    "does not count invisible objects towards the byte limit",
    () => (r) => ({
      objects: {
        find: async (query, visibility, page, bytes) => {
          await r.objects.find(query, { ...visibility, principals: null }, page, bytes);
          return r.objects.find(query, visibility, page, bytes);
        },
      },
    }),
  ),
];
