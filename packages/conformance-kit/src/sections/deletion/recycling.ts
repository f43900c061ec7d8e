import {
  type ObjectId,
  type RecycledRoot,
  type Repositories,
  seesAll,
  type Storage,
  type TrashQuery,
} from "@sallyport/storage";
import { equal, equalInAnyOrder, failsWith, isTrue } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { pluck, rowsOf } from "../../fixtures/lists.ts";
import { concurrently, occurrences, sequentially } from "../../fixtures/concurrently.ts";
import { rolledBack } from "../../fixtures/rolled-back.ts";
import {
  restoreObjects,
  createObject,
  createObjects,
  idsOf,
  tombstoneOf,
  linking,
  unknownIds,
  recycledWith,
  referrersOf,
  deleteObjects,
  changesSince,
} from "../../fixtures/objects.ts";
import { watermarkBehind } from "../../fixtures/changes-up-to.ts";
import { hour } from "../../fixtures/policy.ts";

const [ada, bob] = ["A1", "B2"] as const;

/** Moves objects to the trash as a cascade with the first as its root, on behalf of a user. */
function recycle(storage: Storage, ids: readonly ObjectId[], deletedBy: ObjectId | null, quota = 0) {
  return storage.transaction(async ({ deletion }) => {
    const lockedIds = idsOf(pluck(await deletion.lock(ids), "object"));
    return deletion.delete(lockedIds, { recycled: true, root: ids[0] ?? "", deletedBy, quota });
  });
}

function purge(storage: Storage, id: ObjectId): Promise<void> {
  return storage.transaction(async ({ deletion }) => deletion.purge(idsOf(await deletion.recycledWith(id))));
}

function listed({ deletion }: Repositories, query: Partial<TrashQuery> = {}): Promise<RecycledRoot[]> {
  return deletion.listRecycled({ deletedBy: null, visibility: seesAll, after: null, limit: 100, ...query });
}

/** Creates this many objects and returns their ids. */
async function create(r: Repositories, count: number) {
  const inputs = Array.from({ length: count }, () => ({}));
  return idsOf(await createObjects(r, ...inputs)) as [ObjectId, ObjectId, ObjectId, ObjectId, ObjectId, ...ObjectId[]];
}

const listing = checksOf("recycle bin", {
  "lists the roots of recycled cascades with their users, the newest first": async ({ storage, r, advance }) => {
    const [first, second, third, taken, deleted] = await create(r, 6);
    equal(await listed(r), [], "the list of an empty recycle bin");
    const ways: readonly [readonly ObjectId[], ObjectId | null][] = [
      [[second, taken], ada],
      [[third], null],
      [[first], bob],
    ];
    for (const [ids, user] of ways) {
      await recycle(storage, ids, user);
      advance(hour);
    }
    await deleteObjects(storage, [deleted]);
    const roots = await listed(r);
    equal(
      rowsOf(roots, "id", "deletedBy"),
      [
        [first, bob],
        [third, null],
        [second, ada],
      ],
      "the listed roots and their users",
    );
    for (const root of roots)
      equal({ ...root, kind: "recycled" }, await tombstoneOf(r, root.id), "the tombstone of a root");
    await restoreObjects(storage, third);
    equal(idsOf(await listed(r)), [first, second], "the list after a restore");
    await recycle(storage, [third], ada);
    equal(rowsOf(await listed(r), "id", "deletedBy")[0], [third, ada], "a root that another user recycles later");
  },

  "lists recycled objects by user and by visibility": async ({ storage, r }) => {
    const objects = await createObjects(r, {}, { readers: [ada] }, { readers: [bob] }, { className: "Image" });
    const [{ id: open }, { id: own }, { id: other }, { id: image }] = objects;
    for (const id of [open, own, image]) await recycle(storage, [id], ada);
    await recycle(storage, [other], bob);
    const listIds = async (query: Partial<TrashQuery>) => idsOf(await listed(r, query)).toSorted();
    equal(await listIds({ deletedBy: ada }), [open, own, image].toSorted(), "the objects recycled by one user");
    equal(await listIds({ deletedBy: "ZZZ" }), [], "the objects recycled by another user");
    const ofAda = { classes: new Set(["File"]), principals: new Set([ada]) };
    equal(await listIds({ visibility: ofAda }), [open, own].toSorted(), "the objects visible to a user");
    const ofBob = { classes: null, principals: new Set([bob]) };
    equal(
      await listIds({ visibility: ofBob, deletedBy: ada }),
      [open, image].toSorted(),
      "the objects selected by both",
    );
    equal(
      await listIds({ visibility: { classes: new Set(), principals: null } }),
      [],
      "the objects visible without any class",
    );
  },

  "lists recycled objects page by page, also with equal times": async ({ storage, r, advance }) => {
    const ids = (await create(r, 17)).slice(10);
    await storage.transaction(async ({ deletion }) => {
      await deletion.lock(ids);
      for (const id of ids.slice(0, 4)) await deletion.delete([id], { recycled: true, root: id, deletedBy: ada });
    });
    advance(hour);
    for (const id of ids.slice(4)) await recycle(storage, [id], ada);
    const all = await listed(r);
    equal(idsOf(all).toSorted(), ids.toSorted(), "the whole list");
    equal(idsOf(all).slice(3), ids.slice(0, 4).toReversed(), "the entries of one transaction");
    for (const limit of [1, 2, 3, 7]) {
      const pages: RecycledRoot[] = [];
      for (let after: RecycledRoot | null = null; pages.length <= all.length; after = pages.at(-1) ?? null) {
        const page: RecycledRoot[] = await listed(r, { after, limit });
        isTrue(page.length <= limit, `A page of at most ${limit} entries must not have ${page.length}`);
        pages.push(...page);
        if (page.length < limit) break;
      }
      equal(pages, all, `the pages of ${limit}`);
    }
  },
});

const keeping = checksOf("recycle bin", {
  "recycles objects of a user up to the quota": async ({ storage, r }) => {
    const [one, two, three, four, five, six = "", seven = "", eight = ""] = await create(r, 8);
    const outcomes = (...tries: [ids: ObjectId[], user: ObjectId | null, quota: number][]) =>
      sequentially(tries, (each) => recycle(storage, ...each));
    const ofAda = await outcomes([[one, two], ada, 3], [[three, four], ada, 3], [[three], ada, 3]);
    equal(ofAda, ["deleted", "full", "deleted"], "two objects, two more, and one more with a quota of three");
    const ofOthers = await outcomes([[four], ada, 3], [[four], bob, 1], [[five], null, 1]);
    equal(ofOthers, ["full", "deleted", "deleted"], "one more object, and those of other users");
    equal((await r.objects.get([six, seven, eight], seesAll)).length, 3, "number of live objects");
    const unbound = await outcomes([[six], ada, 0], [[seven], ada, 4]);
    equal(unbound, ["deleted", "full"], "an object without a quota, and its effect on the quota");
    await restoreObjects(storage, one);
    await purge(storage, three);
    const then = await outcomes([[seven], ada, 2], [[eight], ada, 2]);
    equal(then, ["deleted", "full"], "the outcomes after a restore and a purge");
    await storage.transaction(async ({ deletion }) =>
      deletion.delete([eight], { recycled: false, root: eight, deletedBy: ada, quota: 1 }),
    );
    equal((await tombstoneOf(r, eight))?.kind, "deleted", "the kind of a permanently deleted object");
  },

  "keeps the objects of a user unchanged if the quota is exceeded": async ({ storage, r }) => {
    const [target, source] = await create(r, 2);
    const pointing = await createObject(r, linking({ Boss: target }));
    equal(await recycle(storage, [pointing.id, source], ada, 1), "full", "two objects with a quota of one");
    const there = [pointing.id, source];
    equalInAnyOrder(idsOf(await r.objects.get(there, seesAll)), there, "the objects");
    equal(idsOf(await referrersOf(r, [target])), [pointing.id], "the links to their target");
  },

  "counts neither unknown nor deleted objects, and nothing without a user, towards a quota": async ({ storage, r }) => {
    const [one, gone, two, three] = await create(r, 4);
    await deleteObjects(storage, [gone]);
    const before = await tombstoneOf(r, gone);
    const deleting = (ids: readonly ObjectId[], deletedBy: ObjectId | null) =>
      storage.transaction(({ deletion }) => deletion.delete(ids, { recycled: true, root: one, deletedBy, quota: 1 }));
    equal(await deleting([one, gone, ...unknownIds], ada), "deleted", "an object with unknown and deleted ones");
    equal(await tombstoneOf(r, gone), before, "the tombstone of the deleted object");
    const ofNone = [await deleting([two], null), await deleting([three], null)];
    equal(ofNone, ["deleted", "deleted"], "the outcomes without a user");
  },

  "enforces a quota exactly across concurrent deletions": async ({ storage, r }) => {
    for (let round = 0; round < 3; round += 1) {
      const ids = await create(r, 12);
      const user = `U${round}`;
      const outcomes = await concurrently(6, (index) => recycle(storage, ids.slice(2 * index, 2 * index + 2), user, 5));
      equal(
        [occurrences("deleted", outcomes), occurrences("full", outcomes)],
        [2, 4],
        "numbers of deleted and refused cascades",
      );
      equal((await r.objects.get(ids, seesAll)).length, 8, "number of live objects");
    }
  },
});

const purging = checksOf("recycle bin", {
  "turns purged objects into tombstones of permanent deletions": async ({ storage, r, advance }) => {
    const object = await createObject(r, { readers: [ada] });
    const [together, other] = await create(r, 2);
    await recycle(storage, [object.id, together], ada);
    await recycle(storage, [other], ada);
    advance(hour);
    const before = await storage.now();
    await purge(storage, together);
    for (const id of [object.id, together]) {
      const left = await tombstoneOf(r, id);
      equal([left?.kind, left?.version], ["deleted", 3], "the kind and the version of the tombstone");
      isTrue((left?.deletedAt ?? 0) >= before, "The time must be that of the purge");
      equal(await recycledWith(storage, id), [], "the objects that could be restored");
    }
    const left = (reader: ObjectId) =>
      r.deletion.find({ kind: "uuid", uuid: object.uuid }, { classes: null, principals: new Set([reader]) });
    equal([(await left(ada))?.id, await left(bob)], [object.id, null], "the callers that see the tombstone");
    await failsWith(307, () => createObject(r, { uuid: object.uuid }), "using the UUID of a purged object");
    const targets = await storage.transaction(({ deletion }) => deletion.targets([together]));
    equal(targets, [{ id: together, className: "File", exists: false }], "the target of a link to a purged object");
    const bin = [idsOf(await listed(r)), await r.objects.count({ classes: ["File"], recycled: true }, seesAll)];
    equal(bin, [[other], 1], "the remaining recycle bin");
    await restoreObjects(storage, other);
  },

  "keeps a group that several calls have deleted in order, and leaves purged objects out of it": async ({
    storage,
    r,
  }) => {
    // Ids with letters, whose order is not that of numbers.
    const [root = "", one = "", two = ""] = (await create(r, 13)).slice(10);
    const how = { recycled: true, root };
    await storage.transaction(async ({ deletion }) => {
      await deletion.lock([root, one, two]);
      for (const id of [two, root, one]) await deletion.delete([id], how);
    });
    equal(idsOf(await recycledWith(storage, root)), [root, one, two], "the group");
    await storage.transaction(async ({ deletion }) => {
      await deletion.recycledWith(root);
      await deletion.purge([one]);
    });
    equal(await recycledWith(storage, one), [], "the group of the purged object");
    equal(idsOf(await recycledWith(storage, two)), [root, two], "the group without it");
  },

  "ignores objects outside the recycle bin in a purge": async ({ storage, r }) => {
    const [live, deleted] = await create(r, 2);
    await deleteObjects(storage, [deleted]);
    const before = await tombstoneOf(r, deleted);
    await storage.transaction(({ deletion }) => deletion.purge([live, deleted, "ZZZZZZZZZZ", "0", ""]));
    equal((await r.objects.get([live], seesAll)).length, 1, "number of live objects");
    equal(await tombstoneOf(r, deleted), before, "the tombstone of a deleted object");
  },

  "reports a purge as a change": async ({ storage, r }) => {
    const [id, other] = await create(r, 2);
    await recycle(storage, [id], ada);
    const reached = await watermarkBehind(r, [id, other]);
    await purge(storage, id);
    const { changes } = await changesSince(r, reached);
    equal(rowsOf(changes, "id", "kind", "version")[0], [id, "deleted", 3], "the first change");
  },

  "restores the recycle bin when a purge is rolled back": async ({ storage, r }) => {
    const { id, attributes } = await createObject(r);
    await recycle(storage, [id], ada);
    const before = await listed(r);
    await rolledBack(storage, async ({ deletion }) => deletion.purge(idsOf(await deletion.recycledWith(id))));
    equal(await listed(r), before, "the list");
    equal((await restoreObjects(storage, id))[0]?.attributes, attributes, "the restored attributes");
  },
});

export const recyclingChecks: readonly Check[] = [...listing, ...keeping, ...purging];
