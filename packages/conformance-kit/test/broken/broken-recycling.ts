import { objectNumber, type RecycledRoot, type TrashQuery, type Repositories, seesAll } from "@sallyport/core";
import { type BrokenAdapter, broken } from "./broken-adapter.ts";

type Deletion = Repositories["deletion"];

const order = "lists what went alone or took others along, with who recycled it, the newest first";
const sight = "lists what one user recycled, and what the caller could read";
const pages = "lists page by page, also what went at the same time";
const quota = "has room for as many objects of a user as the quota says";
const nothing = "leaves a user's objects where they are when there is no room";
const race = "keeps a quota exactly, however many recycle at once";
const left = "leaves of what is purged what a deletion leaves";
const others = "does nothing to what is not in the recycle bin";
const told = "tells a purge as a change";
const back = "keeps everything when a purge is taken back";

function recycling(
  fault: string,
  caughtBy: string | readonly string[],
  makeFault: (tombstones: Deletion, r: Repositories) => Partial<Deletion>,
): BrokenAdapter {
  return broken(fault, caughtBy, () => (r) => ({ deletion: makeFault(r.deletion, r) }));
}

const listing =
  (change: (roots: RecycledRoot[], query: TrashQuery) => RecycledRoot[]) =>
  (tombstones: Deletion): Partial<Deletion> => ({
    listRecycled: async (query) => change(await tombstones.listRecycled(query), query),
  });

const asking =
  (change: (query: TrashQuery) => TrashQuery) =>
  (tombstones: Deletion): Partial<Deletion> => ({
    listRecycled: (query) => tombstones.listRecycled(change(query)),
  });

/** A fault in what is left of objects that were purged. */
function purged(
  fault: string,
  find: (
    tombstones: Deletion,
    ids: ReadonlySet<string>,
    ...asked: Parameters<Deletion["find"]>
  ) => ReturnType<Deletion["find"]>,
): BrokenAdapter {
  return broken(fault, [left], () => {
    const ids = new Set<string>();
    return ({ deletion }) => ({
      deletion: {
        purge: async (each) => {
          for (const id of each) ids.add(id);
          await deletion.purge(each);
        },
        find: (...asked) => find(deletion, ids, ...asked),
      },
    });
  });
}

/** Faults in how the recycle bin is listed, limited and purged. */
export const brokenRecycling: readonly BrokenAdapter[] = [
  recycling("lists an empty recycle bin", [order, sight, pages, left], () => ({ listRecycled: async () => [] })),
  recycling(
    "lists the oldest first",
    [order],
    listing((roots) => roots.toReversed()),
  ),
  recycling(
    "lists in the order of numbers",
    [order],
    listing((roots) => roots.toSorted((one, other) => objectNumber(other.id) - objectNumber(one.id))),
  ),
  recycling(
    "knows nobody who recycled something",
    [order],
    listing((roots) => roots.map((root) => ({ ...root, deletedBy: null }))),
  ),
  broken("knows who recycled an object first alone", [order], () => {
    const first = new Map<string, string | null>();
    return ({ deletion }) => ({
      deletion: {
        delete: async (ids, how) => {
          if (!first.has(how.root)) first.set(how.root, how.deletedBy ?? null);
          return deletion.delete(ids, { ...how, deletedBy: first.get(how.root) ?? null });
        },
      },
    });
  }),
  recycling("lists what one took along by itself", [order], (tombstones) => ({
    delete: async (ids, how) => {
      for (const id of ids) await tombstones.delete([id], { ...how, root: id });
      return "deleted";
    },
  })),
  recycling(
    "lists what all users have recycled to everybody",
    [sight],
    asking((query) => ({ ...query, deletedBy: null })),
  ),
  recycling(
    "lists what is not to be seen",
    [sight],
    asking((query) => ({ ...query, visibility: seesAll })),
  ),
  recycling(
    "looks at the classes of the recycle bin alone",
    [sight],
    asking((query) => ({ ...query, visibility: { ...query.visibility, principals: null } })),
  ),
  recycling(
    "begins every page of the recycle bin anew",
    [pages],
    asking((query) => ({ ...query, limit: 100, after: null })),
  ),
  recycling("goes on behind a time of the recycle bin", [pages], (tombstones) => ({
    listRecycled: async ({ after, ...query }) => {
      const all = await tombstones.listRecycled({ ...query, after: null, limit: 1_000 });
      return all.filter(({ deletedAt }) => after === null || deletedAt < after.deletedAt).slice(0, query.limit);
    },
  })),

  recycling("knows no quota", [quota, nothing, race], (tombstones) => ({
    delete: (ids, how) => tombstones.delete(ids, { ...how, quota: 0 }),
  })),
  recycling("has room for one more than the quota", [quota, nothing, race], (tombstones) => ({
    delete: (ids, how) => tombstones.delete(ids, { ...how, quota: how.quota ? how.quota + 1 : 0 }),
  })),
  recycling("counts what all have recycled for each", [quota], (tombstones) => ({
    delete: async (ids, { quota: most = 0, ...how }) => {
      const all = await tombstones.listRecycled({ deletedBy: null, visibility: seesAll, after: null, limit: 1_000 });
      return how.recycled && most > 0 && all.length + ids.length > most ? "full" : tombstones.delete(ids, how);
    },
  })),
  recycling("counts what is deleted for good", [quota], (tombstones) => ({
    delete: async (ids, how) => {
      const own = await tombstones.listRecycled({
        deletedBy: how.deletedBy ?? "ZZZ",
        visibility: seesAll,
        after: null,
        limit: 1_000,
      });
      return (how.quota ?? 0) > 0 && own.length + ids.length > (how.quota ?? 0) ? "full" : tombstones.delete(ids, how);
    },
  })),
  recycling("counts roots alone", [nothing, race], (tombstones) => ({
    delete: async (ids, { quota: most = 0, ...how }) => {
      const own = await tombstones.listRecycled({
        deletedBy: how.deletedBy ?? "ZZZ",
        visibility: seesAll,
        after: null,
        limit: 1_000,
      });
      return how.recycled && most > 0 && own.length + 1 > most ? "full" : tombstones.delete(ids, how);
    },
  })),
  recycling("lets as many go as there is room for", [nothing], (tombstones) => ({
    delete: async (ids, how) => {
      const outcome = await tombstones.delete(ids, how);
      if (outcome === "full") await tombstones.delete(ids.slice(0, 1), how);
      return outcome;
    },
  })),

  recycling("purges nothing", [quota, left, told], () => ({ purge: async () => {} })),
  recycling("purges the first alone", [left], (tombstones) => ({ purge: (ids) => tombstones.purge(ids.slice(0, 1)) })),
  purged("leaves the version of what is purged as it was", async (tombstones, ids, reference, visibility) => {
    const found = await tombstones.find(reference, visibility);
    return found !== null && ids.has(found.id) ? { ...found, version: found.version - 1 } : found;
  }),
  purged("shows what is left of what is purged to everybody", async (tombstones, ids, reference, visibility) => {
    const found = await tombstones.find(reference, seesAll);
    return found !== null && ids.has(found.id) ? found : tombstones.find(reference, visibility);
  }),
  recycling("purges objects outside the recycle bin", [others], (tombstones) => ({
    purge: async (ids) => {
      await tombstones.purge(ids);
      const live = (await tombstones.lock(ids)).map(({ object }) => object.id);
      for (const id of live) await tombstones.delete([id], { recycled: false, root: id });
    },
  })),
  broken("does not tell of purges", [told], () => {
    const recycled = new Set<string>();
    return (r) => ({
      changes: {
        read: async (...asked) => {
          const changes = await r.changes.read(...asked);
          return changes.map((each) => {
            if (each.kind === "recycled") recycled.add(each.id);
            return recycled.has(each.id) && each.kind === "deleted" ? { ...each, kind: "recycled" as const } : each;
          });
        },
      },
    });
  }),
  broken("keeps a purge that its transaction took back", [back], () => {
    const gone = new Set<string>();
    return (r) => ({
      deletion: {
        purge: async (ids) => {
          for (const id of ids) gone.add(id);
          await r.deletion.purge(ids);
        },
        listRecycled: async (query) => (await r.deletion.listRecycled(query)).filter(({ id }) => !gone.has(id)),
      },
    });
  }),
];
