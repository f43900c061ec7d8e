import { type Referrer, type Repositories, seesAll, type StoredObject } from "@sallyport/core";
import type { BrokenAdapter } from "../broken-adapter.ts";
import { departing, type Departures, together } from "./departing.ts";

function referring(change: (referrers: Referrer[]) => Referrer[]) {
  return ({ departures }: Repositories): Partial<Departures> => ({
    referrers: async (...asked) => change(await departures.referrers(...asked)),
  });
}

function recycling(change: (group: StoredObject[], id: string) => StoredObject[]) {
  return ({ departures }: Repositories): Partial<Departures> => ({
    recycledWith: async (id, by) => change(await departures.recycledWith(id, by), id),
  });
}

const leading = "tell what links lead to, and whether it can still be pointed to";
const counted = "are counted by class while they can return";

/** Faults in what points to objects that go, and in how they come back. */
export const brokenReturning: readonly BrokenAdapter[] = [
  departing(
    "knows one link of an object",
    "know who points to an object, by which attribute, each link once",
    referring((referrers) =>
      referrers.filter(({ id }, index) => referrers.findIndex((each) => each.id === id) === index),
    ),
  ),
  departing(
    "does not look at the names of attributes",
    "know the referrers by some attributes of some classes only, and as many as asked for",
    ({ departures }) => ({
      referrers: (ids, query) => departures.referrers(ids, { ...query, attributes: null }),
    }),
  ),
  departing(
    "does not look at the classes of referrers",
    "know the referrers by some attributes of some classes only, and as many as asked for",
    ({ departures }) => ({
      referrers: async (ids, { attributes, limit }) => {
        const all = await departures.referrers(ids, { attributes: null, limit: Infinity });
        return all
          .filter((link) => attributes === null || attributes.some(({ attribute }) => attribute === link.attribute))
          .slice(0, limit);
      },
    }),
  ),
  departing(
    "answers more referrers than asked for",
    "know the referrers by some attributes of some classes only, and as many as asked for",
    ({ departures }) => ({
      referrers: (ids, query) => departures.referrers(ids, { ...query, limit: Infinity }),
    }),
  ),
  departing(
    "takes objects for referrers of themselves",
    "leave out of the referrers the objects themselves, and what is gone",
    ({ departures }) => ({
      referrers: async (ids, query) => (await Promise.all(ids.map((id) => departures.referrers([id], query)))).flat(),
    }),
  ),

  departing(
    "clears the whole attribute",
    "take targets out of references and collections, and leave the rest",
    (r) => ({
      clear: async (links) => {
        for (const { id, attribute } of links) {
          await r.objects.update(
            [
              {
                id,
                attributes: { [attribute]: attribute === "Team" ? [] : null },
                links: { [attribute]: [] },
                expectedVersions: null,
              },
            ],
            { session: null },
          );
        }
      },
    }),
  ),
  departing(
    "writes an object once for each link",
    "take targets out of references and collections, and leave the rest",
    ({ departures }) => ({
      clear: async (links) => {
        for (const link of links) await departures.clear([link]);
      },
    }),
  ),

  departing(
    "brings back one alone",
    together,
    recycling((group, id) => group.filter((object) => object.id === id)),
  ),
  departing(
    "finds together what went with the first alone",
    together,
    recycling((group, id) => (group[0]?.id === id ? group : [])),
  ),
  departing("brings back who could read", together, ({ departures }) => ({
    restore: async (objects) => (await departures.restore(objects)).map((object) => ({ ...object, readers: null })),
  })),
  departing("begins anew with the versions", together, ({ departures }) => ({
    restore: async (objects) => (await departures.restore(objects)).map((object) => ({ ...object, version: 1 })),
  })),
  departing("brings everything back as it was", "come back without what they have lost", ({ departures }) => ({
    restore: (objects) => departures.restore(objects.map((object) => ({ ...object, attributes: {} }))),
  })),
  departing("brings back no links", "come back with the links that are given for them", ({ departures }) => ({
    restore: (objects) => departures.restore(objects.map((object) => ({ ...object, links: {} }))),
  })),
  departing(
    "clears what points to the recycled",
    "leave what points to them as it is until they are back",
    ({ departures }) => ({
      depart: async (ids, how) => {
        await departures.clear(await departures.referrers(ids, { attributes: null, limit: Infinity }));
        return departures.depart(ids, how);
      },
    }),
  ),
  departing("takes what is gone for what can be pointed to", leading, ({ departures }) => ({
    targets: async (ids) => (await departures.targets(ids)).map((target) => ({ ...target, remains: true })),
  })),
  departing("forgets what is gone", leading, ({ departures }) => ({
    targets: async (ids) => (await departures.targets(ids)).filter(({ remains }) => remains),
  })),
  departing("points to live objects alone", leading, (r) => ({
    targets: async (ids) =>
      (await r.objects.get(ids, seesAll)).map(({ id, className }) => ({ id, className, remains: true })),
  })),
  departing("takes everything for one class", leading, ({ departures }) => ({
    targets: async (ids) => (await departures.targets(ids)).map((target) => ({ ...target, className: "File" })),
  })),
  departing("counts the recycler whatever is asked for", counted, ({ departures }) => ({
    countRecycled: () => departures.countRecycled(["File", "Image"]),
  })),
  departing("counts classes one by one", counted, ({ departures }) => ({
    countRecycled: async (classes) =>
      (await Promise.all(classes.map((name) => departures.countRecycled([name])))).reduce(
        (sum, count) => sum + count,
        0,
      ),
  })),
  departing("counts what is there", counted, (r) => ({
    countRecycled: (classes) => r.objects.count({ classes }, seesAll),
  })),
];
