import { objectNumber, type RecycledRoot, type Repositories, seesAll, type TrashQuery } from "@sallyport/storage";
import { type BrokenAdapter, broken, withFeed } from "./broken-adapter.ts";

type Deletion = Repositories["deletion"];

const order = "lists the roots of recycled cascades with their users, the newest first";
const sight = "lists recycled objects by user and by visibility";
const pages = "lists recycled objects page by page, also with equal times";
const quota = "recycles objects of a user up to the quota";
const nothing = "keeps the objects of a user unchanged if the quota is exceeded";
const race = "enforces a quota exactly across concurrent deletions";
const left = "turns purged objects into tombstones of permanent deletions";
const others = "ignores objects outside the recycle bin in a purge";
const told = "reports a purge as a change";
const back = "restores the recycle bin when a purge is rolled back";

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

/** A fault in the tombstones of purged objects. */
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

/** Faults in listing, limiting and purging the recycle bin. */
export const brokenRecycling: readonly BrokenAdapter[] = [
  recycling("lists an empty recycle bin", [order, sight, pages, left], () => ({ listRecycled: async () => [] })),
  recycling(
    "lists the oldest root first",
    [order],
    listing((roots) => roots.toReversed()),
  ),
  recycling(
    "lists roots by number",
    [order],
    listing((roots) => roots.toSorted((one, other) => objectNumber(other.id) - objectNumber(one.id))),
  ),
  recycling(
    "drops the user of a recycled object",
    [order],
    listing((roots) => roots.map((root) => ({ ...root, deletedBy: null }))),
  ),
  broken("keeps the user of the first recycling of an object", [order], () => {
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
  recycling("lists the dependents of a root", [order], (tombstones) => ({
    delete: async (ids, how) => {
      for (const id of ids) await tombstones.delete([id], { ...how, root: id });
      return "deleted";
    },
  })),
  recycling(
    "lists the objects of all users to every user",
    [sight],
    asking((query) => ({ ...query, deletedBy: null })),
  ),
  recycling(
    "lists invisible objects",
    [sight],
    asking((query) => ({ ...query, visibility: seesAll })),
  ),
  recycling(
    "checks only the classes of recycled objects",
    [sight],
    asking((query) => ({ ...query, visibility: { ...query.visibility, principals: null } })),
  ),
  recycling(
    "returns the first page for every position",
    [pages],
    asking((query) => ({ ...query, limit: 100, after: null })),
  ),
  recycling("continues a page after the time of a position only", [pages], (tombstones) => ({
    listRecycled: async ({ after, ...query }) => {
      const all = await tombstones.listRecycled({ ...query, after: null, limit: 1_000 });
      return all.filter(({ deletedAt }) => after === null || deletedAt < after.deletedAt).slice(0, query.limit);
    },
  })),

  recycling("ignores the quota", [quota, nothing, race], (tombstones) => ({
    delete: (ids, how) => tombstones.delete(ids, { ...how, quota: 0 }),
  })),
  recycling("recycles one object beyond the quota", [quota, nothing, race], (tombstones) => ({
    delete: (ids, how) => tombstones.delete(ids, { ...how, quota: how.quota ? how.quota + 1 : 0 }),
  })),
  recycling("counts the objects of all users towards each quota", [quota], (tombstones) => ({
    delete: async (ids, { quota: most = 0, ...how }) => {
      const all = await tombstones.listRecycled({ deletedBy: null, visibility: seesAll, after: null, limit: 1_000 });
      return how.recycled && most > 0 && all.length + ids.length > most ? "full" : tombstones.delete(ids, how);
    },
  })),
  recycling("applies the quota to permanent deletions", [quota], (tombstones) => ({
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
  recycling("counts only roots towards the quota", [nothing, race], (tombstones) => ({
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
  recycling("recycles as many objects of a cascade as the quota allows", [nothing], (tombstones) => ({
    delete: async (ids, how) => {
      const outcome = await tombstones.delete(ids, how);
      if (outcome === "full") await tombstones.delete(ids.slice(0, 1), how);
      return outcome;
    },
  })),

  recycling("purges nothing", [quota, left, told], () => ({ purge: async () => {} })),
  recycling("purges the first object only", [left], (tombstones) => ({
    purge: (ids) => tombstones.purge(ids.slice(0, 1)),
  })),
  purged("keeps the version of a purged object", async (tombstones, ids, reference, visibility) => {
    const found = await tombstones.find(reference, visibility);
    return found !== null && ids.has(found.id) ? { ...found, version: found.version - 1 } : found;
  }),
  purged("shows tombstones of purged objects to every caller", async (tombstones, ids, reference, visibility) => {
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
  broken("does not report purges", [told], () => {
    const recycled = new Set<string>();
    return (r) =>
      withFeed(r, (changes) =>
        changes.map((each) => {
          if (each.kind === "recycled") recycled.add(each.id);
          return recycled.has(each.id) && each.kind === "deleted" ? { ...each, kind: "recycled" as const } : each;
        }),
      );
  }),
  broken("keeps a rolled-back purge", [back], () => {
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
