import { objectNumber, ServiceError } from "@sallyport/storage";
import { type BrokenAdapter, broken } from "./broken-adapter.ts";
import { blind, gettingByIds, gettingByUuids } from "./selector-faults.ts";

/** Faults in finding objects by IDs and UUIDs. */
export const brokenObjectKeys: readonly BrokenAdapter[] = [
  broken("ignores readers in reads by UUID", "returns a visible object by UUID", () => (r) => ({
    objects: { get: gettingByUuids(r, 1, blind(r)) },
  })),

  broken("ignores readers in reads by several UUIDs", "returns visible objects by several UUIDs", () => (r) => ({
    objects: { get: gettingByUuids(r, 2, blind(r)) },
  })),

  broken(
    "returns objects for repeated UUIDs repeatedly",
    "returns objects by UUIDs, each once, and ignores malformed UUIDs",
    () => (r) => ({
      objects: {
        get: gettingByUuids(r, 2, async (uuids, visibility) =>
          (await Promise.all(uuids.map((uuid) => r.objects.get({ uuids: [uuid] }, visibility)))).flat(),
        ),
      },
    }),
  ),

  broken("accepts any spelling of an ID", "returns no object for another spelling of its ID", () => (r) => ({
    objects: {
      get: gettingByIds(r, (ids, visibility) =>
        r.objects.get(
          ids.map((id) => id.toUpperCase().replace(/^0+/, "")),
          visibility,
        ),
      ),
    },
  })),

  broken("fails on malformed IDs", "returns no object for another spelling of its ID", () => (r) => ({
    objects: {
      get: gettingByIds(r, async (ids, visibility) => {
        if (ids.some((id) => !Number.isSafeInteger(objectNumber(id)))) throw new ServiceError(799);
        return r.objects.get(ids, visibility);
      }),
    },
  })),

  broken("returns an object twice for a repeated ID", "returns objects by ID, each once", () => (r) => ({
    objects: {
      get: gettingByIds(r, async (ids, visibility) =>
        (await Promise.all(ids.map((id) => r.objects.get([id], visibility)))).flat(),
      ),
    },
  })),

  broken("compares UUIDs case-sensitively", "accepts a UUID in any case and stores it in lower case", () => (r) => ({
    objects: {
      get: gettingByUuids(r, 1, (uuids, visibility) =>
        r.objects.get({ uuids: uuids.filter((uuid) => uuid === uuid.toLowerCase()) }, visibility),
      ),
    },
  })),

  broken("fails on a malformed UUID", "returns no object for an unknown or malformed UUID", () => (r) => ({
    objects: {
      get: gettingByUuids(r, 1, async (uuids, visibility) => {
        if (uuids.some((uuid) => uuid.length !== 36)) throw new ServiceError(799);
        return r.objects.get({ uuids }, visibility);
      }),
    },
  })),

  broken("fails on an unknown ID", "returns no object for an unknown ID", () => (r) => ({
    objects: {
      get: gettingByIds(r, async (ids, visibility) => {
        const found = await r.objects.get(ids, visibility);
        if (found.length < new Set(ids).size) throw new ServiceError(304);
        return found;
      }),
    },
  })),
];
