import { type CountQuery, type Referrer, type Repositories, seesAll, type StoredObject } from "@sallyport/storage";
import { type BrokenAdapter, broken } from "../broken-adapter.ts";
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

const leading = "returns the targets of links and whether they can be linked to";
const counted = "counts restorable objects by class";

/** A fault in counts of recycled objects. */
function withCount(fault: string, count: (r: Repositories, query: CountQuery) => Promise<number>): BrokenAdapter {
  return broken(fault, counted, () => (r) => ({
    objects: {
      count: (query, ...asked) => (query.recycled === true ? count(r, query) : r.objects.count(query, ...asked)),
    },
  }));
}

/** Faults in referrers of deleted objects and in restores. */
export const brokenRestoring: readonly BrokenAdapter[] = [
  withDeletion(
    "returns one link per object",
    "returns the referrers of objects with the attribute, each link once",
    referring((referrers) =>
      referrers.filter(({ id }, index) => referrers.findIndex((each) => each.id === id) === index),
    ),
  ),
  withDeletion(
    "ignores attribute names in referrers",
    "returns referrers by attributes and classes up to the limit",
    ({ deletion }) => ({
      referrers: (ids, query) => deletion.referrers(ids, { ...query, attributes: null }),
    }),
  ),
  withDeletion(
    "ignores the classes of referrers",
    "returns referrers by attributes and classes up to the limit",
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
    "returns more referrers than the limit",
    "returns referrers by attributes and classes up to the limit",
    ({ deletion }) => ({
      referrers: (ids, query) => deletion.referrers(ids, { ...query, limit: Infinity }),
    }),
  ),
  withDeletion(
    "returns objects as referrers of themselves",
    "omits the requested objects and deleted objects from the referrers",
    ({ deletion }) => ({
      referrers: async (ids, query) => (await Promise.all(ids.map((id) => deletion.referrers([id], query)))).flat(),
    }),
  ),

  withDeletion(
    "clears the whole attribute",
    "removes targets from references and collections and keeps other values",
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
    "writes an object once per link",
    "removes targets from references and collections and keeps other values",
    ({ deletion }) => ({
      clear: async (links) => {
        for (const link of links) await deletion.clear([link]);
      },
    }),
  ),

  withDeletion(
    "restores one object only",
    together,
    recycling((group, id) => group.filter((object) => object.id === id)),
  ),
  withDeletion(
    "returns cascades for their first object only",
    together,
    recycling((group, id) => (group[0]?.id === id ? group : [])),
  ),
  withDeletion("drops readers on restore", together, ({ deletion }) => ({
    restore: async (objects) => (await deletion.restore(objects)).map((object) => ({ ...object, readers: null })),
  })),
  withDeletion("resets versions on restore", together, ({ deletion }) => ({
    restore: async (objects) => (await deletion.restore(objects)).map((object) => ({ ...object, version: 1 })),
  })),
  withDeletion("restores removed values", "restores objects without the removed values", ({ deletion }) => ({
    restore: (objects) => deletion.restore(objects.map((object) => ({ ...object, attributes: {} }))),
  })),
  withDeletion("restores no links", "restores objects with the given links", ({ deletion }) => ({
    restore: (objects) => deletion.restore(objects.map((object) => ({ ...object, links: {} }))),
  })),
  withDeletion(
    "clears links to recycled objects",
    "keeps links to recycled objects unchanged until the restore",
    ({ deletion }) => ({
      delete: async (ids, how) => {
        await deletion.clear(await deletion.referrers(ids, { attributes: null, limit: Infinity }));
        return deletion.delete(ids, how);
      },
    }),
  ),
  withDeletion("reports deleted objects as possible targets", leading, ({ deletion }) => ({
    targets: async (ids) => (await deletion.targets(ids)).map((target) => ({ ...target, exists: true })),
  })),
  withDeletion("omits deleted objects from the targets", leading, ({ deletion }) => ({
    targets: async (ids) => (await deletion.targets(ids)).filter(({ exists }) => exists),
  })),
  withDeletion("returns live targets only", leading, (r) => ({
    targets: async (ids) =>
      (await r.objects.get(ids, seesAll)).map(({ id, className }) => ({ id, className, exists: true })),
  })),
  withDeletion("returns one class for all targets", leading, ({ deletion }) => ({
    targets: async (ids) => (await deletion.targets(ids)).map((target) => ({ ...target, className: "File" })),
  })),
  withCount("counts the recycle bin of all classes", ({ objects }, query) =>
    objects.count({ ...query, classes: ["File", "Image"] }, seesAll),
  ),
  withCount("counts repeated classes repeatedly", async ({ objects }, { classes, ...query }) =>
    (await Promise.all(classes.map((name) => objects.count({ ...query, classes: [name] }, seesAll)))).reduce(
      (sum, count) => sum + count,
      0,
    ),
  ),
  withCount("counts live objects", ({ objects }, { classes }) => objects.count({ classes }, seesAll)),
];
