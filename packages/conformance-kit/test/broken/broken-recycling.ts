import { objectNumber, type RecycledRoot, type RecyclerQuery, type Repositories, seesAll } from "@sallyport/core";
import { type BrokenAdapter, broken } from "./broken-adapter.ts";

type Departures = Repositories["departures"];

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
  makeFault: (departures: Departures, r: Repositories) => Partial<Departures>,
): BrokenAdapter {
  return broken(fault, caughtBy, () => (r) => ({ departures: makeFault(r.departures, r) }));
}

const listing =
  (change: (roots: RecycledRoot[], query: RecyclerQuery) => RecycledRoot[]) =>
  (departures: Departures): Partial<Departures> => ({
    listRecycled: async (query) => change(await departures.listRecycled(query), query),
  });

const asking =
  (change: (query: RecyclerQuery) => RecyclerQuery) =>
  (departures: Departures): Partial<Departures> => ({
    listRecycled: (query) => departures.listRecycled(change(query)),
  });

/** A fault in what is left of objects that were purged. */
function purged(
  fault: string,
  find: (
    departures: Departures,
    ids: ReadonlySet<string>,
    ...asked: Parameters<Departures["find"]>
  ) => ReturnType<Departures["find"]>,
): BrokenAdapter {
  return broken(fault, [left], () => {
    const ids = new Set<string>();
    return ({ departures }) => ({
      departures: {
        purge: async (each) => {
          for (const id of each) ids.add(id);
          await departures.purge(each);
        },
        find: (...asked) => find(departures, ids, ...asked),
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
    return ({ departures }) => ({
      departures: {
        depart: async (ids, how) => {
          if (!first.has(how.leader)) first.set(how.leader, how.deletedBy ?? null);
          return departures.depart(ids, { ...how, deletedBy: first.get(how.leader) ?? null });
        },
      },
    });
  }),
  recycling("lists what one took along by itself", [order], (departures) => ({
    depart: async (ids, how) => {
      for (const id of ids) await departures.depart([id], { ...how, leader: id });
      return "departed";
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
  recycling("goes on behind a time of the recycle bin", [pages], (departures) => ({
    listRecycled: async ({ after, ...query }) => {
      const all = await departures.listRecycled({ ...query, after: null, limit: 1_000 });
      return all.filter(({ departedAt }) => after === null || departedAt < after.departedAt).slice(0, query.limit);
    },
  })),

  recycling("knows no quota", [quota, nothing, race], (departures) => ({
    depart: (ids, how) => departures.depart(ids, { ...how, quota: 0 }),
  })),
  recycling("has room for one more than the quota", [quota, nothing, race], (departures) => ({
    depart: (ids, how) => departures.depart(ids, { ...how, quota: how.quota ? how.quota + 1 : 0 }),
  })),
  recycling("counts what all have recycled for each", [quota], (departures) => ({
    depart: async (ids, { quota: most = 0, ...how }) => {
      const all = await departures.listRecycled({ deletedBy: null, visibility: seesAll, after: null, limit: 1_000 });
      return how.recycled && most > 0 && all.length + ids.length > most ? "full" : departures.depart(ids, how);
    },
  })),
  recycling("counts what is deleted for good", [quota], (departures) => ({
    depart: async (ids, how) => {
      const own = await departures.listRecycled({
        deletedBy: how.deletedBy ?? "ZZZ",
        visibility: seesAll,
        after: null,
        limit: 1_000,
      });
      return (how.quota ?? 0) > 0 && own.length + ids.length > (how.quota ?? 0) ? "full" : departures.depart(ids, how);
    },
  })),
  recycling("counts roots alone", [nothing, race], (departures) => ({
    depart: async (ids, { quota: most = 0, ...how }) => {
      const own = await departures.listRecycled({
        deletedBy: how.deletedBy ?? "ZZZ",
        visibility: seesAll,
        after: null,
        limit: 1_000,
      });
      return how.recycled && most > 0 && own.length + 1 > most ? "full" : departures.depart(ids, how);
    },
  })),
  recycling("lets as many go as there is room for", [nothing], (departures) => ({
    depart: async (ids, how) => {
      const outcome = await departures.depart(ids, how);
      if (outcome === "full") await departures.depart(ids.slice(0, 1), how);
      return outcome;
    },
  })),

  recycling("purges nothing", [quota, left, told], () => ({ purge: async () => {} })),
  recycling("purges the first alone", [left], (departures) => ({ purge: (ids) => departures.purge(ids.slice(0, 1)) })),
  purged("leaves the version of what is purged as it was", async (departures, ids, reference, visibility) => {
    const found = await departures.find(reference, visibility);
    return found !== null && ids.has(found.id) ? { ...found, version: found.version - 1 } : found;
  }),
  purged("shows what is left of what is purged to everybody", async (departures, ids, reference, visibility) => {
    const found = await departures.find(reference, seesAll);
    return found !== null && ids.has(found.id) ? found : departures.find(reference, visibility);
  }),
  recycling("purges whatever it is given", [others], (departures) => ({
    purge: async (ids) => {
      await departures.purge(ids);
      const live = (await departures.hold(ids)).map(({ object }) => object.id);
      for (const id of live) await departures.depart([id], { recycled: false, leader: id });
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
      departures: {
        purge: async (ids) => {
          for (const id of ids) gone.add(id);
          await r.departures.purge(ids);
        },
        listRecycled: async (query) => (await r.departures.listRecycled(query)).filter(({ id }) => !gone.has(id)),
      },
    });
  }),
];
