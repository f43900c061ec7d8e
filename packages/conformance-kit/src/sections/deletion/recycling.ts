import {
  type ObjectId,
  type RecycledRoot,
  type TrashQuery,
  type Repositories,
  seesAll,
  type Storage,
} from "@sallyport/core";
import { equal, equalInAnyOrder, failsWith, holds } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { pluck, rowsOf } from "../../fixtures/lists.ts";
import { atOnce, occurrences, oneByOne } from "../../fixtures/concurrently.ts";
import { rolledBack } from "../../fixtures/rolled-back.ts";
import {
  restoreObjects,
  createObject,
  createObjects,
  idsOf,
  tombstoneOf,
  linking,
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
    const held = idsOf(pluck(await deletion.lock(ids), "object"));
    return deletion.delete(held, { recycled: true, root: ids[0] ?? "", deletedBy, quota });
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
  const given = Array.from({ length: count }, () => ({}));
  return idsOf(await createObjects(r, ...given)) as [ObjectId, ObjectId, ObjectId, ObjectId, ObjectId, ...ObjectId[]];
}

const listing = checksOf("recycle bin", {
  "lists what went alone or took others along, with who recycled it, the newest first": async ({
    storage,
    r,
    advance,
  }) => {
    const [first, second, third, taken, deleted] = await create(r, 6);
    equal(await listed(r), [], "what is listed of nothing");
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
      "what is listed, and who recycled it",
    );
    for (const { deletedBy: _, ...root } of roots)
      equal({ ...root, kind: "recycled" }, await tombstoneOf(r, root.id), "what is known of one");
    await restoreObjects(storage, third);
    equal(idsOf(await listed(r)), [first, second], "what is listed when one is back");
    await recycle(storage, [third], ada);
    equal(rowsOf(await listed(r), "id", "deletedBy")[0], [third, ada], "one that another user recycles then");
  },

  "lists what one user recycled, and what the caller could read": async ({ storage, r }) => {
    const objects = await createObjects(r, {}, { readers: [ada] }, { readers: [bob] }, { className: "Image" });
    const [{ id: open }, { id: own }, { id: other }, { id: image }] = objects;
    for (const id of [open, own, image]) await recycle(storage, [id], ada);
    await recycle(storage, [other], bob);
    const asked = async (query: Partial<TrashQuery>) => idsOf(await listed(r, query)).toSorted();
    equal(await asked({ deletedBy: ada }), [open, own, image].toSorted(), "what one user recycled");
    equal(await asked({ deletedBy: "ZZZ" }), [], "what another one recycled");
    const ofAda = { classes: new Set(["File"]), principals: new Set([ada]) };
    equal(await asked({ visibility: ofAda }), [open, own].toSorted(), "what a user could read");
    const ofBob = { classes: null, principals: new Set([bob]) };
    equal(await asked({ visibility: ofBob, deletedBy: ada }), [open, image].toSorted(), "both");
    equal(await asked({ visibility: { classes: new Set(), principals: null } }), [], "what can be read of no class");
  },

  "lists page by page, also what went at the same time": async ({ storage, r, advance }) => {
    const ids = await create(r, 7);
    await storage.transaction(async ({ deletion }) => {
      await deletion.lock(ids);
      for (const id of ids.slice(0, 4)) await deletion.delete([id], { recycled: true, root: id, deletedBy: ada });
    });
    advance(hour);
    for (const id of ids.slice(4)) await recycle(storage, [id], ada);
    const all = await listed(r);
    equal(idsOf(all).toSorted(), ids.toSorted(), "what is listed in all");
    for (const limit of [1, 2, 3, 7]) {
      const pages: RecycledRoot[] = [];
      for (let after: RecycledRoot | null = null; pages.length <= all.length; after = pages.at(-1) ?? null) {
        const page: RecycledRoot[] = await listed(r, { after, limit });
        pages.push(...page);
        if (page.length < limit) break;
      }
      equal(pages, all, `the pages of ${limit}`);
    }
  },
});

const keeping = checksOf("recycle bin", {
  "has room for as many objects of a user as the quota says": async ({ storage, r }) => {
    const [one, two, three, four, five, six = "", seven = "", eight = ""] = await create(r, 8);
    const outcomes = (...tries: [ids: ObjectId[], user: ObjectId | null, quota: number][]) =>
      oneByOne(tries, (each) => recycle(storage, ...each));
    const ofAda = await outcomes([[one, two], ada, 3], [[three, four], ada, 3], [[three], ada, 3]);
    equal(ofAda, ["deleted", "full", "deleted"], "two, two more, and one more where there is room for three");
    const ofOthers = await outcomes([[four], ada, 3], [[four], bob, 1], [[five], null, 1]);
    equal(ofOthers, ["full", "deleted", "deleted"], "one more, and those of others");
    equal((await r.objects.get([six, seven, eight], seesAll)).length, 3, "what is there");
    const unbound = await outcomes([[six], ada, 0], [[seven], ada, 4]);
    equal(unbound, ["deleted", "full"], "without a quota, and what that counts");
    await restoreObjects(storage, one);
    await purge(storage, three);
    const then = await outcomes([[seven], ada, 2], [[eight], ada, 2]);
    equal(then, ["deleted", "full"], "when others are back or purged");
    await storage.transaction(async ({ deletion }) =>
      deletion.delete([eight], { recycled: false, root: eight, deletedBy: ada, quota: 1 }),
    );
    equal((await tombstoneOf(r, eight))?.kind, "deleted", "one that is deleted for good");
  },

  "leaves a user's objects where they are when there is no room": async ({ storage, r }) => {
    const [target, source] = await create(r, 2);
    const pointing = await createObject(r, linking({ Boss: target }));
    equal(await recycle(storage, [pointing.id, source], ada, 1), "full", "two where there is room for one");
    const there = [pointing.id, source];
    equalInAnyOrder(idsOf(await r.objects.get(there, seesAll)), there, "the objects");
    equal(idsOf(await referrersOf(r, [target])), [pointing.id], "its links");
  },

  "keeps a quota exactly, however many recycle at once": async ({ storage, r }) => {
    for (let round = 0; round < 3; round += 1) {
      const ids = await create(r, 12);
      const user = `U${round}`;
      const outcomes = await atOnce(6, (index) => recycle(storage, ids.slice(2 * index, 2 * index + 2), user, 5));
      equal([occurrences("deleted", outcomes), occurrences("full", outcomes)], [2, 4], "how many had room");
      equal((await r.objects.get(ids, seesAll)).length, 8, "how many objects are there");
    }
  },
});

const purging = checksOf("recycle bin", {
  "leaves of what is purged what a deletion leaves": async ({ storage, r, advance }) => {
    const object = await createObject(r, { readers: [ada] });
    const [together, other] = await create(r, 2);
    await recycle(storage, [object.id, together], ada);
    await recycle(storage, [other], ada);
    advance(hour);
    const before = await storage.now();
    await purge(storage, together);
    for (const id of [object.id, together]) {
      const left = await tombstoneOf(r, id);
      equal([left?.kind, left?.version], ["deleted", 3], "kind and version of what is left");
      holds((left?.deletedAt ?? 0) >= before, "The time is that of the purge");
      equal(await recycledWith(storage, id), [], "what could return");
    }
    const left = (reader: ObjectId) =>
      r.deletion.find({ kind: "uuid", uuid: object.uuid }, { classes: null, principals: new Set([reader]) });
    equal([(await left(ada))?.id, await left(bob)], [object.id, null], "who sees what is left");
    await failsWith(307, () => createObject(r, { uuid: object.uuid }), "the UUID of a purged object");
    const targets = await storage.transaction(({ deletion }) => deletion.targets([together]));
    equal(targets, [{ id: together, className: "File", exists: false }], "what links lead to");
    const bin = [idsOf(await listed(r)), await r.deletion.countRecycled(["File"])];
    equal(bin, [[other], 1], "what is left in the recycle bin");
    await restoreObjects(storage, other);
  },

  "does nothing to what is not in the recycle bin": async ({ storage, r }) => {
    const [live, deleted] = await create(r, 2);
    await deleteObjects(storage, [deleted]);
    const before = await tombstoneOf(r, deleted);
    await storage.transaction(({ deletion }) => deletion.purge([live, deleted, "ZZZZZZZZZZ", "0", ""]));
    equal((await r.objects.get([live], seesAll)).length, 1, "how many live objects there are");
    equal(await tombstoneOf(r, deleted), before, "what is left of a deleted one");
  },

  "tells a purge as a change": async ({ storage, r }) => {
    const [id, other] = await create(r, 2);
    await recycle(storage, [id], ada);
    const reached = await watermarkBehind(r, [id, other]);
    await purge(storage, id);
    const { told } = await changesSince(r, reached);
    equal(rowsOf(told, "id", "kind", "version")[0], [id, "deleted", 3], "what is told first");
  },

  "keeps everything when a purge is taken back": async ({ storage, r }) => {
    const { id, attributes } = await createObject(r);
    await recycle(storage, [id], ada);
    const before = await listed(r);
    await rolledBack(storage, async ({ deletion }) => deletion.purge(idsOf(await deletion.recycledWith(id))));
    equal(await listed(r), before, "what is listed");
    equal((await restoreObjects(storage, id))[0]?.attributes, attributes, "what comes back");
  },
});

export const recyclingChecks: readonly Check[] = [...listing, ...keeping, ...purging];
