import { isVisible, seesAll } from "@sallyport/storage";
import { equal, equalInAnyOrder, isTrue } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { rolledBack } from "../../fixtures/rolled-back.ts";
import { rowsOf } from "../../fixtures/lists.ts";
import {
  restoreObjects,
  createObject,
  createObjects,
  findObjects,
  idsOf,
  tombstoneOf,
  linking,
  objectByUuid,
  objectOf,
  recycledWith,
  referrersOf,
  deleteObjects,
  changesSince,
  update,
} from "../../fixtures/objects.ts";
import { changesUpTo, watermarkBehind } from "../../fixtures/changes-up-to.ts";
import { hostileTexts } from "../../fixtures/hostile-texts.ts";
import { hour } from "../../fixtures/policy.ts";
import { Visitor } from "../../fixtures/visitor.ts";

export const restoringChecks: readonly Check[] = checksOf("deletion", {
  "restores a whole cascade from any of its objects": async ({ storage, r, advance }) => {
    const attributes = { Name: "plan", Texts: hostileTexts, Deep: { list: [1.5, null, { a: [] }] }, Number: 0.1 };
    const restricted = { attributes, readers: ["A1", "B2"] };
    const hidden = { className: "Image", attributes: {}, readers: [] };
    const objects = await createObjects(r, restricted, hidden, { className: "Unknown" });
    const [first, second, third] = objects;
    const other = await createObject(r);
    await update(r, first.id, {});
    for (const [round, ids] of [first, second, third].entries()) {
      await deleteObjects(storage, idsOf([second, first, third]), true);
      await deleteObjects(storage, [other.id], true);
      const group = await recycledWith(storage, ids.id);
      equal(idsOf(group), idsOf(objects), "the IDs of the cascade");
      const [went, were] = [group, objects].map((list) => rowsOf(list, "attributes", "readers"));
      equal(went, were, "the attributes and readers of the cascade");
      advance(hour);
      const before = await storage.now();
      const restored = await restoreObjects(storage, ids.id);
      const after = await storage.now();
      isTrue(
        restored.every(({ storedAt }) => before <= storedAt && storedAt <= after),
        "The time must be that of the restore",
      );
      const versions = [2, 1, 1].map((version) => version + 2 * (round + 1));
      const expected = objects.map((object, index) => ({
        ...object,
        version: versions[index],
        storedAt: restored[index]?.storedAt,
      }));
      equal(restored, expected, "the restored objects");
      equalInAnyOrder(await r.objects.get(idsOf(objects), seesAll), expected, "the objects");
      const found = [(await objectByUuid(r, third.uuid))?.id, await tombstoneOf(r, third.id)];
      equal(found, [third.id, null], "the object by UUID, and the tombstone");
      equal((await tombstoneOf(r, other.id))?.kind, "recycled", "the kind of the tombstone of another cascade");
      await restoreObjects(storage, other.id);
    }
  },

  "restores objects with their readers, counts and order": async ({ storage, r }) => {
    const objects = await createObjects(r, {}, { readers: ["A1"] }, {}, { readers: ["B2"] });
    for (const { id } of [objects[2], objects[0], objects[1]]) await deleteObjects(storage, [id], true);
    for (const { id } of [objects[1], objects[0], objects[2]]) await restoreObjects(storage, id);
    for (const visibility of [seesAll, { classes: null, principals: new Set(["A1"]) }]) {
      const seen = objects.filter((object) => isVisible(object, visibility));
      equal(idsOf(await findObjects(r, ["File"], visibility)), idsOf(seen), "the IDs of the listed objects");
      equal(await r.objects.count({ classes: ["File"] }, visibility), seen.length, "number of counted objects");
    }
  },

  "restores objects without the removed values": async ({ storage, r }) => {
    const object = await createObject(r, { attributes: { Name: "plan", Boss: "A1", Team: ["A1", "B2"] } });
    await deleteObjects(storage, [object.id], true);
    const [restored] = await restoreObjects(storage, object.id, { attributes: { Boss: null, Team: ["B2"] } });
    equal(restored?.attributes, { Name: "plan", Boss: null, Team: ["B2"] }, "the attributes");
    equal((await objectOf(r, object.id))?.attributes, restored?.attributes, "the attributes, read again");
  },

  "restores objects with the given links": async ({ storage, r }) => {
    const [target, recycled] = await createObjects(r, {}, {});
    const source = await createObject(r, linking({ Boss: target.id }));
    await deleteObjects(storage, [source.id], true);
    await deleteObjects(storage, [recycled.id], true);
    await restoreObjects(storage, source.id, { links: { Boss: [target.id], Team: [recycled.id] } });
    const referrers = await referrersOf(r, idsOf([target, recycled]));
    const link = { id: source.id, className: "File" };
    const expected = [
      { ...link, attribute: "Boss", target: target.id },
      { ...link, attribute: "Team", target: recycled.id },
    ];
    equalInAnyOrder(referrers, expected, "the referrers");
  },

  "keeps links to recycled objects unchanged until the restore": async ({ storage, r }) => {
    const target = await createObject(r);
    const source = await createObject(r, linking({ Boss: target.id }));
    await deleteObjects(storage, [target.id], true);
    equal(await r.objects.get([source.id], seesAll), [source], "the referring object");
    const changed = await update(r, source.id, { Name: "new" });
    equal(changed?.attributes["Boss"], target.id, "the reference after another attribute is changed");
    await restoreObjects(storage, target.id);
    equal(idsOf(await referrersOf(r, [target.id])), [source.id], "the referrers of the restored object");
  },

  "restores nothing that was permanently deleted": async ({ storage, r }) => {
    const [object, together, live] = await createObjects(r, {}, {}, {});
    await deleteObjects(storage, idsOf([object, together]));
    for (const id of [object.id, together.id, live.id, "ZZZZZZZZZZ", "0", "", "constructor"]) {
      equal(await recycledWith(storage, id), [], `the objects recycled with "${id}"`);
    }
    equal(await r.deletion.restore([]), [], "the result of restoring no objects");
  },

  "returns the targets of links and whether they can be linked to": async ({ storage, r }) => {
    const [image, unknown] = [{ className: "Image" }, { className: "Unknown" }];
    const [live, recycled, deleted] = await createObjects(r, { readers: [] }, image, unknown);
    await deleteObjects(storage, [recycled.id], true);
    await deleteObjects(storage, [deleted.id]);
    const ids = [deleted.id, recycled.id, live.id, live.id, "ZZZZZZZZZZ", "0", "", "constructor"];
    const known = [
      { id: live.id, className: "File", exists: true },
      { id: recycled.id, className: "Image", exists: true },
      { id: deleted.id, className: "Unknown", exists: false },
    ];
    const targets = await storage.transaction(({ deletion }) => deletion.targets(ids));
    equalInAnyOrder(targets, known, "the targets");
    equal(await r.deletion.targets([]), [], "the targets of no links");
  },

  "counts restorable objects by class": async ({ storage, r }) => {
    const lists = [["File"], ["Image"], ["File", "Image", "File"], ["Unknown", ...hostileTexts], []];
    const counts = () => Promise.all(lists.map((classes) => r.objects.count({ classes, recycled: true }, seesAll)));
    const image = { className: "Image" };
    const [first, second, third, deleted] = await createObjects(r, {}, { readers: [] }, image, image, {});
    equal(await counts(), [0, 0, 0, 0, 0], "numbers of recycled objects in an empty recycle bin");
    await deleteObjects(storage, idsOf([first, second, third]), true);
    await deleteObjects(storage, [deleted.id]);
    equal(await counts(), [2, 1, 3, 0, 0], "numbers of recycled objects");
    const restricted = { classes: null, principals: new Set(["A1"]) };
    equal(await r.objects.count({ classes: ["File"], recycled: true }, restricted), 1, "number of visible ones");
    await restoreObjects(storage, second.id);
    equal(await counts(), [0, 0, 0, 0, 0], "numbers of recycled objects after the restore");
  },

  "unlocks objects on restore": async ({ storage, r }) => {
    const session = await (await Visitor.create(r)).open(r);
    const { id } = await createObject(r);
    await r.locks.take(id, session);
    await deleteObjects(storage, [id], true);
    await restoreObjects(storage, id);
    equal(await r.locks.state(id), null, "the lock");
    await update(r, id, {});
  },

  "reports a restore as a change of a live object": async ({ storage, r }) => {
    const [object, other] = await createObjects(r, {}, {});
    await deleteObjects(storage, [object.id], true);
    const reached = await watermarkBehind(r, idsOf([other, object]));
    await restoreObjects(storage, object.id);
    const { watermark, changes } = await changesSince(r, reached);
    equal(rowsOf(changes, "id", "kind", "version")[0], [object.id, "stored", 3], "the first change");
    equal((await changesUpTo(r, watermark)).length, 3, "number of all changes");
  },

  "rolls back a restore with its transaction": async ({ storage, r }) => {
    const { id } = await createObject(r);
    await deleteObjects(storage, [id], true);
    const before = await tombstoneOf(r, id);
    await rolledBack(storage, async ({ deletion }) => {
      const group = await deletion.recycledWith(id);
      await deletion.restore(group.map((object) => ({ id: object.id, attributes: {}, links: {} })));
    });
    equal([await objectOf(r, id), await tombstoneOf(r, id)], [undefined, before], "the object and its tombstone");
  },
});
