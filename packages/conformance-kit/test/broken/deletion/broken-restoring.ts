import { type Referrer, type Repositories, seesAll, type StoredObject } from "@sallyport/core";
import type { BrokenAdapter } from "../broken-adapter.ts";
import { withDeletion, type Deletion, together } from "./with-deletion.ts";

function referring(change: (referrers: Referrer[]) => Referrer[]) {
  return ({ deletion }: Repositories): Partial<Deletion> => ({
    referrers: async (...asked) => change(await deletion.referrers(...asked)),
  });
}

function recycling(change: (group: StoredObject[], id: string) => StoredObject[]) {
  return ({ deletion }: Repositories): Partial<Deletion> => ({
    recycledWith: async (id, by) => change(await deletion.recycledWith(id, by), id),
  });
}

const leading = "tell what links lead to, and whether it can still be pointed to";
const counted = "are counted by class while they can return";

/** Faults in what points to objects that go, and in how they come back. */
export const brokenReturning: readonly BrokenAdapter[] = [
  withDeletion(
    "knows one link of an object",
    "know who points to an object, by which attribute, each link once",
    referring((referrers) =>
      referrers.filter(({ id }, index) => referrers.findIndex((each) => each.id === id) === index),
    ),
  ),
  withDeletion(
    "does not look at the names of attributes",
    "know the referrers by some attributes of some classes only, and as many as asked for",
    ({ deletion }) => ({
      referrers: (ids, query) => deletion.referrers(ids, { ...query, attributes: null }),
    }),
  ),
  withDeletion(
    "does not look at the classes of referrers",
    "know the referrers by some attributes of some classes only, and as many as asked for",
    ({ deletion }) => ({
      referrers: async (ids, { attributes, limit }) => {
        const all = await deletion.referrers(ids, { attributes: null, limit: Infinity });
        return all
          .filter((link) => attributes === null || attributes.some(({ attribute }) => attribute === link.attribute))
          .slice(0, limit);
      },
    }),
  ),
  withDeletion(
    "answers more referrers than asked for",
    "know the referrers by some attributes of some classes only, and as many as asked for",
    ({ deletion }) => ({
      referrers: (ids, query) => deletion.referrers(ids, { ...query, limit: Infinity }),
    }),
  ),
  withDeletion(
    "takes objects for referrers of themselves",
    "leave out of the referrers the objects themselves, and what is gone",
    ({ deletion }) => ({
      referrers: async (ids, query) => (await Promise.all(ids.map((id) => deletion.referrers([id], query)))).flat(),
    }),
  ),

  withDeletion(
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
  withDeletion(
    "writes an object once for each link",
    "take targets out of references and collections, and leave the rest",
    ({ deletion }) => ({
      clear: async (links) => {
        for (const link of links) await deletion.clear([link]);
      },
    }),
  ),

  withDeletion(
    "brings back one alone",
    together,
    recycling((group, id) => group.filter((object) => object.id === id)),
  ),
  withDeletion(
    "finds together what went with the first alone",
    together,
    recycling((group, id) => (group[0]?.id === id ? group : [])),
  ),
  withDeletion("brings back who could read", together, ({ deletion }) => ({
    restore: async (objects) => (await deletion.restore(objects)).map((object) => ({ ...object, readers: null })),
  })),
  withDeletion("begins anew with the versions", together, ({ deletion }) => ({
    restore: async (objects) => (await deletion.restore(objects)).map((object) => ({ ...object, version: 1 })),
  })),
  withDeletion("brings everything back as it was", "come back without what they have lost", ({ deletion }) => ({
    restore: (objects) => deletion.restore(objects.map((object) => ({ ...object, attributes: {} }))),
  })),
  withDeletion("brings back no links", "come back with the links that are given for them", ({ deletion }) => ({
    restore: (objects) => deletion.restore(objects.map((object) => ({ ...object, links: {} }))),
  })),
  withDeletion(
    "clears what points to the recycled",
    "leave what points to them as it is until they are back",
    ({ deletion }) => ({
      delete: async (ids, how) => {
        await deletion.clear(await deletion.referrers(ids, { attributes: null, limit: Infinity }));
        return deletion.delete(ids, how);
      },
    }),
  ),
  withDeletion("takes what is gone for what can be pointed to", leading, ({ deletion }) => ({
    targets: async (ids) => (await deletion.targets(ids)).map((target) => ({ ...target, exists: true })),
  })),
  withDeletion("forgets what is gone", leading, ({ deletion }) => ({
    targets: async (ids) => (await deletion.targets(ids)).filter(({ exists }) => exists),
  })),
  withDeletion("points to live objects alone", leading, (r) => ({
    targets: async (ids) =>
      (await r.objects.get(ids, seesAll)).map(({ id, className }) => ({ id, className, exists: true })),
  })),
  withDeletion("takes everything for one class", leading, ({ deletion }) => ({
    targets: async (ids) => (await deletion.targets(ids)).map((target) => ({ ...target, className: "File" })),
  })),
  withDeletion("counts the recycle bin of all classes", counted, ({ deletion }) => ({
    countRecycled: () => deletion.countRecycled(["File", "Image"]),
  })),
  withDeletion("counts classes one by one", counted, ({ deletion }) => ({
    countRecycled: async (classes) =>
      (await Promise.all(classes.map((name) => deletion.countRecycled([name])))).reduce((sum, count) => sum + count, 0),
  })),
  withDeletion("counts what is there", counted, (r) => ({
    countRecycled: (classes) => r.objects.count({ classes }, seesAll),
  })),
];
