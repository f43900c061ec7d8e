import {
  type ObjectId,
  type RecycledRoot,
  type RecyclerQuery,
  type Repositories,
  seesAll,
  type Storage,
} from "@sallyport/core";
import { equal, failsWith } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { atOnce, occurrences } from "../../fixtures/at-once.ts";
import { bringBack, createObject, idsOf, takeAway } from "../../fixtures/objects.ts";
import { changesUpTo, watermarkBehind } from "../../fixtures/changes-up-to.ts";
import { hour } from "../../fixtures/policy.ts";

const [ada, bob] = ["A1", "B2"] as const;

/** Recycles objects together with the first of them, for a user. */
function recycle(
  storage: Storage,
  ids: readonly ObjectId[],
  deletedBy: ObjectId | null,
  quota = 0,
): Promise<"departed" | "full"> {
  return storage.transaction(async ({ departures }) => {
    const held = await departures.hold(ids);
    return departures.depart(
      held.map(({ object }) => object.id),
      { recycled: true, leader: ids[0] ?? "", deletedBy, quota },
    );
  });
}

function purge(storage: Storage, id: ObjectId): Promise<void> {
  return storage.transaction(async ({ departures }) => departures.purge(idsOf(await departures.recycledWith(id))));
}

function listed({ departures }: Repositories, query: Partial<RecyclerQuery> = {}): Promise<RecycledRoot[]> {
  return departures.listRecycled({ deletedBy: null, visibility: seesAll, after: null, limit: 100, ...query });
}

async function create(r: Repositories, count: number): Promise<ObjectId[]> {
  const ids: ObjectId[] = [];
  for (let number = 0; number < count; number += 1) ids.push((await createObject(r)).id);
  return ids;
}

const listing = checksOf("recycle bin", {
  "lists what went alone or took others along, with who recycled it, the newest first": async ({
    storage,
    r,
    advance,
  }) => {
    const [first, second, third, taken, deleted] = (await create(r, 6)) as [
      ObjectId,
      ObjectId,
      ObjectId,
      ObjectId,
      ObjectId,
    ];
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
    await takeAway(storage, [deleted]);
    const roots = await listed(r);
    equal(
      roots.map(({ id, deletedBy }) => [id, deletedBy]),
      [
        [first, bob],
        [third, null],
        [second, ada],
      ],
      "what is listed, and who recycled it",
    );
    for (const { deletedBy: _, ...root } of roots)
      equal(
        { ...root, kind: "recycled" },
        await r.departures.find({ kind: "id", id: root.id }, seesAll),
        "what is known of one",
      );
    await bringBack(storage, third);
    equal(idsOf(await listed(r)), [first, second], "what is listed when one is back");
    await recycle(storage, [third], ada);
    equal(
      (await listed(r)).map(({ id, deletedBy }) => [id, deletedBy])[0],
      [third, ada],
      "one that another user recycles then",
    );
  },

  "lists what one user recycled, and what the caller could read": async ({ storage, r }) => {
    const objects = [
      await createObject(r),
      await createObject(r, { readers: [ada] }),
      await createObject(r, { readers: [bob] }),
      await createObject(r, { className: "Image" }),
    ];
    const [open, own, other, image] = idsOf(objects) as [ObjectId, ObjectId, ObjectId, ObjectId];
    for (const id of [open, own, image]) await recycle(storage, [id], ada);
    await recycle(storage, [other], bob);
    const asked = async (query: Partial<RecyclerQuery>) => idsOf(await listed(r, query)).toSorted();
    equal(await asked({ deletedBy: ada }), [open, own, image].toSorted(), "what one user recycled");
    equal(await asked({ deletedBy: "ZZZ" }), [], "what another one recycled");
    equal(
      await asked({ visibility: { classes: new Set(["File"]), principals: new Set([ada]) } }),
      [open, own].toSorted(),
      "what a user could read",
    );
    equal(
      await asked({ visibility: { classes: null, principals: new Set([bob]) }, deletedBy: ada }),
      [open, image].toSorted(),
      "both",
    );
    equal(await asked({ visibility: { classes: new Set(), principals: null } }), [], "what can be read of no class");
  },

  "lists page by page, also what went at the same time": async ({ storage, r, advance }) => {
    const ids = await create(r, 7);
    await storage.transaction(async ({ departures }) => {
      await departures.hold(ids);
      for (const id of ids.slice(0, 4)) await departures.depart([id], { recycled: true, leader: id, deletedBy: ada });
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
    const [one = "", two = "", three = "", four = "", five = "", six = "", seven = "", eight = ""] = await create(r, 8);
    equal(
      [
        await recycle(storage, [one, two], ada, 3),
        await recycle(storage, [three, four], ada, 3),
        await recycle(storage, [three], ada, 3),
      ],
      ["departed", "full", "departed"],
      "two, two more, and one more where there is room for three",
    );
    equal(
      [
        await recycle(storage, [four], ada, 3),
        await recycle(storage, [four], bob, 1),
        await recycle(storage, [five], null, 1),
      ],
      ["full", "departed", "departed"],
      "one more, and those of others",
    );
    equal((await r.objects.get([six, seven, eight], seesAll)).length, 3, "what is there");
    equal(
      [await recycle(storage, [six], ada, 0), await recycle(storage, [seven], ada, 4)],
      ["departed", "full"],
      "without a quota, and what that counts",
    );
    await bringBack(storage, one);
    await purge(storage, three);
    equal(
      [await recycle(storage, [seven], ada, 2), await recycle(storage, [eight], ada, 2)],
      ["departed", "full"],
      "when others are back or purged",
    );
    await storage.transaction(async ({ departures }) =>
      departures.depart([eight], { recycled: false, leader: eight, deletedBy: ada, quota: 1 }),
    );
    equal(
      (await r.departures.find({ kind: "id", id: eight }, seesAll))?.kind,
      "deleted",
      "one that is deleted for good",
    );
  },

  "leaves a user's objects where they are when there is no room": async ({ storage, r }) => {
    const [target, source] = (await create(r, 2)) as [ObjectId, ObjectId];
    const pointing = await createObject(r, { attributes: { Boss: target }, links: { Boss: [target] } });
    equal(await recycle(storage, [pointing.id, source], ada, 1), "full", "two where there is room for one");
    equal(
      idsOf(await r.objects.get([pointing.id, source], seesAll)).toSorted(),
      [pointing.id, source].toSorted(),
      "the objects",
    );
    equal(idsOf(await r.departures.referrers([target], { attributes: null, limit: 9 })), [pointing.id], "its links");
  },

  "keeps a quota exactly, however many recycle at once": async ({ storage, r }) => {
    for (let round = 0; round < 3; round += 1) {
      const ids = await create(r, 12);
      const user = `U${round}`;
      const outcomes = await atOnce(6, (index) => recycle(storage, ids.slice(2 * index, 2 * index + 2), user, 5));
      equal([occurrences("departed", outcomes), occurrences("full", outcomes)], [2, 4], "how many had room");
      equal((await r.objects.get(ids, seesAll)).length, 8, "how many objects are there");
    }
  },
});

const purging = checksOf("recycle bin", {
  "leaves of what is purged what a deletion leaves": async ({ storage, r, advance }) => {
    const object = await createObject(r, { readers: [ada] });
    const [together, other] = (await create(r, 2)) as [ObjectId, ObjectId];
    await recycle(storage, [object.id, together], ada);
    await recycle(storage, [other], ada);
    advance(hour);
    const before = await storage.now();
    await purge(storage, together);
    for (const id of [object.id, together]) {
      const left = await r.departures.find({ kind: "id", id }, seesAll);
      equal(
        [left?.kind, left?.version, (left?.departedAt ?? 0) >= before],
        ["deleted", 3, true],
        "kind and version of what is left, and whether the time is that of the purge",
      );
      equal(await storage.transaction((inside) => inside.departures.recycledWith(id)), [], "what could return");
    }
    const left = (reader: ObjectId) =>
      r.departures.find({ kind: "uuid", uuid: object.uuid }, { classes: null, principals: new Set([reader]) });
    equal([(await left(ada))?.id, await left(bob)], [object.id, null], "who sees what is left");
    await failsWith(
      307,
      () => r.objects.insert([{ className: "File", attributes: {}, uuid: object.uuid }]),
      "the UUID of a purged object",
    );
    equal(
      await storage.transaction((inside) => inside.departures.targets([together])),
      [{ id: together, className: "File", remains: false }],
      "what links lead to",
    );
    equal(
      [idsOf(await listed(r)), await r.departures.countRecycled(["File"])],
      [[other], 1],
      "what is left in the recycle bin",
    );
    await bringBack(storage, other);
  },

  "does nothing to what is not in the recycle bin": async ({ storage, r }) => {
    const [live, deleted] = (await create(r, 2)) as [ObjectId, ObjectId];
    await takeAway(storage, [deleted]);
    const before = await r.departures.find({ kind: "id", id: deleted }, seesAll);
    await storage.transaction(({ departures }) => departures.purge([live, deleted, "ZZZZZZZZZZ", "0", ""]));
    equal(
      [(await r.objects.get([live], seesAll)).length, await r.departures.find({ kind: "id", id: deleted }, seesAll)],
      [1, before],
      "a live object, and what is left of a deleted one",
    );
  },

  "tells a purge as a change": async ({ storage, r }) => {
    const [id, other] = (await create(r, 2)) as [ObjectId, ObjectId];
    await recycle(storage, [id], ada);
    const reached = await watermarkBehind(r, [id, other]);
    await purge(storage, id);
    const watermark = await watermarkBehind(r, await create(r, 1));
    const [told] = await changesUpTo(r, watermark, { stamp: reached, id: null });
    equal([told?.id, told?.kind, told?.version], [id, "deleted", 3], "what is told first");
  },

  "keeps everything when a purge is taken back": async ({ storage, r }) => {
    const { id, attributes } = await createObject(r);
    await recycle(storage, [id], ada);
    const before = await listed(r);
    await storage
      .transaction(async ({ departures }) => {
        await departures.purge(idsOf(await departures.recycledWith(id)));
        throw new Error("taken back");
      })
      .catch(() => {});
    equal(await listed(r), before, "what is listed");
    equal((await bringBack(storage, id))[0]?.attributes, attributes, "what comes back");
  },
});

export const recyclingChecks: readonly Check[] = [...listing, ...keeping, ...purging];
