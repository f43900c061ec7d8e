import { type NewObject, type Repositories, seesAll, ServiceError } from "@sallyport/core";
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

/** Faults in the bounds of objects. */
export const brokenSizes: readonly BrokenAdapter[] = [
  broken("keeps what fits of a batch", "are not created with 801 when they are too large, all or nothing", insertingInstead((r, objects) => r.objects.insert(objects.slice(0, 1)))),

  broken("says nothing of what is too large", "are not created with 801 when they are too large, all or nothing", () => (r) => ({
    objects: { insert: (objects) => r.objects.insert(objects).catch(() => []) },
  })),

  broken("has room for half of an object", "may be as large as an object may be", () => (r) => ({
    objects: {
      insert: (objects) => {
        if (JSON.stringify(objects).length > 600_000) throw new ServiceError(801);
        return r.objects.insert(objects);
      },
    },
  })),

  broken("leaves an object as it is that would be too large", "cannot grow too large with 801, all or nothing", () => (r) => ({
    objects: {
      update: async (changes, by) => {
        try {
          return await r.objects.update(changes, by);
        } catch (error) {
          if (!tooLarge(error)) throw error;
          return r.objects.get(changes.map(({ id }) => id), seesAll);
        }
      },
    },
  })),

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
];
