import { objectNumber, ServiceError } from "@sallyport/core";
import { type BrokenAdapter, broken } from "./broken-adapter.ts";
import { blind, gettingByIds, gettingByUuids } from "./selector-faults.ts";

/** Faults in how objects are found by ids and UUIDs. */
export const brokenObjectKeys: readonly BrokenAdapter[] = [
  broken("does not look at readers when it finds by UUID", "are found by UUID if they are visible", () => (r) => ({
    objects: { get: gettingByUuids(r, 1, blind(r)) },
  })),

  broken(
    "does not look at readers when it finds by several UUIDs",
    "are found by several UUIDs as far as they are visible",
    () => (r) => ({
      objects: { get: gettingByUuids(r, 2, blind(r)) },
    }),
  ),

  broken(
    "finds each UUID by itself",
    "are found by their UUIDs, each once, and texts that are none are as good as absent",
    () => (r) => ({
      objects: {
        get: gettingByUuids(r, 2, async (uuids, visibility) =>
          (await Promise.all(uuids.map((uuid) => r.objects.get({ uuids: [uuid] }, visibility)))).flat(),
        ),
      },
    }),
  ),

  broken("reads any spelling of an id", "are not found by another spelling of their id", () => (r) => ({
    objects: {
      get: gettingByIds(r, (ids, visibility) =>
        r.objects.get(
          ids.map((id) => id.toUpperCase().replace(/^0+/, "")),
          visibility,
        ),
      ),
    },
  })),

  broken("fails on ids that no id can be", "are not found by another spelling of their id", () => (r) => ({
    objects: {
      get: gettingByIds(r, async (ids, visibility) => {
        if (ids.some((id) => !Number.isSafeInteger(objectNumber(id)))) throw new ServiceError(799);
        return r.objects.get(ids, visibility);
      }),
    },
  })),

  broken("finds an object twice that is asked for twice", "are found by their ids, each once", () => (r) => ({
    objects: {
      get: gettingByIds(r, async (ids, visibility) =>
        (await Promise.all(ids.map((id) => r.objects.get([id], visibility)))).flat(),
      ),
    },
  })),

  broken("tells UUIDs apart by case", "take a UUID in any case and keep it in lower case", () => (r) => ({
    objects: {
      get: gettingByUuids(r, 1, (uuids, visibility) =>
        r.objects.get({ uuids: uuids.filter((uuid) => uuid === uuid.toLowerCase()) }, visibility),
      ),
    },
  })),

  broken("fails when a UUID is none", "are not found by a text that is no UUID or nobody's", () => (r) => ({
    objects: {
      get: gettingByUuids(r, 1, async (uuids, visibility) => {
        if (uuids.some((uuid) => uuid.length !== 36)) throw new ServiceError(799);
        return r.objects.get({ uuids }, visibility);
      }),
    },
  })),

  broken("fails when an id names nothing", "are absent when nothing has their id", () => (r) => ({
    objects: {
      get: gettingByIds(r, async (ids, visibility) => {
        const found = await r.objects.get(ids, visibility);
        if (found.length < new Set(ids).size) throw new ServiceError(304);
        return found;
      }),
    },
  })),
];
