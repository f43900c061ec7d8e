import { OutdatedModelError, type Repositories, seesAll } from "@sallyport/storage";
import { equal, equalInAnyOrder, failsWith, isTrue } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { pluck, rowsOf } from "../../fixtures/lists.ts";
import { rolledBack } from "../../fixtures/rolled-back.ts";
import { changeOf, changesUpTo, watermarkBehind } from "../../fixtures/changes-up-to.ts";
import {
  noSession,
  createObject,
  createObjects,
  findObjects,
  idsOf,
  tombstoneOf,
  linking,
  unknownIds,
  objectByUuid,
  refusesUuid,
  deleteObjects,
  changesSince,
  update,
} from "../../fixtures/objects.ts";
import { hour } from "../../fixtures/policy.ts";
import { Visitor } from "../../fixtures/visitor.ts";

export const deletingChecks: readonly Check[] = checksOf("deletion", {
  "hides deleted objects from every read and keeps tombstones": async ({ storage, r, advance }) => {
    for (const recycled of [false, true]) {
      const [object, restricted, other] = await createObjects(r, {}, { readers: ["A1"] }, {});
      await update(r, object.id, { Name: "newer" });
      const before = (await findObjects(r, ["File"])).length;
      advance(hour);
      const start = await storage.now();
      equal(await deleteObjects(storage, idsOf([object, restricted]), recycled), 2, "number of deleted objects");
      const end = await storage.now();
      equal(await r.objects.get(idsOf([object, restricted, other]), seesAll), [other], "the objects by ID");
      equal(await objectByUuid(r, object.uuid), null, "one object by UUID");
      equal(await r.objects.get({ uuids: [object.uuid, restricted.uuid] }, seesAll), [], "the objects by UUID");
      const listed = (await findObjects(r, ["File"])).length;
      const counted = await r.objects.count({ classes: ["File"] }, seesAll);
      equal([listed, counted], [before - 2, before - 2], "numbers of listed and counted objects");
      for (const { id, uuid, className } of [object, restricted]) {
        const left = await tombstoneOf(r, id);
        isTrue(
          left !== null && start <= left.deletedAt && left.deletedAt <= end,
          "The time must be that of the deletion",
        );
        const [version, kind] = [id === object.id ? 3 : 2, recycled ? "recycled" : "deleted"];
        equal(
          left,
          { id, uuid, className, version, deletedAt: left.deletedAt, kind, deletedBy: null },
          "the tombstone",
        );
        const byUuid = await r.deletion.find({ kind: "uuid", uuid: uuid.toUpperCase() }, seesAll);
        equal(byUuid, left, "the tombstone by UUID");
      }
      equal(await tombstoneOf(r, other.id), null, "the tombstone of a live object");
    }
  },

  "shows tombstones to callers that could read the object": async ({ storage, r }) => {
    const [open, restricted, hidden] = await createObjects(r, {}, { readers: ["A1", "B2"] }, { readers: [] });
    const image = await createObject(r, { className: "Image" });
    const all = [open, restricted, hidden, image];
    for (const [index, object] of all.entries()) await deleteObjects(storage, [object.id], index % 2 === 0);
    const files = new Set(["File"]);
    for (const [visibility, seen] of [
      [seesAll, all],
      [{ classes: files, principals: null }, [open, restricted, hidden]],
      [{ classes: null, principals: new Set(["B2", "C3"]) }, [open, restricted, image]],
      [{ classes: files, principals: new Set(["C3"]) }, [open]],
      [{ classes: new Set<string>(), principals: null }, []],
    ] as const) {
      const found = [];
      for (const { id, uuid } of all) {
        const byId = await tombstoneOf(r, id, visibility);
        equal(await r.deletion.find({ kind: "uuid", uuid }, visibility), byId, "the tombstone by UUID");
        if (byId !== null) found.push(byId);
      }
      equal(idsOf(found), idsOf(seen), "the visible tombstones");
    }
  },

  "returns no tombstone for unknown IDs and UUIDs": async ({ storage, r }) => {
    await deleteObjects(storage, [(await createObject(r)).id]);
    for (const id of unknownIds) equal(await tombstoneOf(r, id), null, `the tombstone of "${id}"`);
    for (const uuid of ["00000000-0000-4000-8000-000000000000", "", "x"])
      equal(await r.deletion.find({ kind: "uuid", uuid }, seesAll), null, `the tombstone of "${uuid}"`);
    equal(await deleteObjects(storage, unknownIds), 0, "number of deleted objects for unknown IDs");
  },

  "never reuses the ID or the UUID of a deleted object": async ({ storage, r }) => {
    for (const recycled of [false, true]) {
      const { id, uuid } = await createObject(r);
      await deleteObjects(storage, [id], recycled);
      const taken = () => createObject(r, { uuid: uuid.toUpperCase() });
      await refusesUuid(taken, "creating an object with the UUID of a deleted object");
      const file = { className: "File", attributes: {} };
      const beside = () => r.objects.insert([file, { ...file, uuid }]);
      await refusesUuid(beside, "creating one with a used UUID beside one with a generated UUID");
      isTrue((await createObject(r)).id !== id, "The ID must not be reused");
    }
  },

  "distinguishes deleted objects from unknown ones in writes": async ({ storage, r }) => {
    const [deleted, recycled, live] = await createObjects(r, {}, {}, {});
    await deleteObjects(storage, [deleted.id]);
    await deleteObjects(storage, [recycled.id], true);
    const session = await (await Visitor.create(r)).open(r);
    for (const { id } of [deleted, recycled]) {
      const changes = [changeOf(live.id, { Name: "new" }), changeOf(id, {})];
      await failsWith(610, () => r.objects.update(changes, noSession), "changing a deleted object");
      await failsWith(307, () => update(r, live.id, {}, linking({ Boss: id })), "linking to a deleted object");
      await failsWith(
        307,
        () => createObject(r, linking({ Boss: id })),
        "creating an object that links to a deleted object",
      );
      equal([await r.locks.take(id, session), await r.locks.state(id)], ["notFound", null], "locking a deleted object");
    }
    await failsWith(304, () => update(r, "ZZZZZZZZZZ", {}), "changing an unknown object");
    equal(await r.objects.get([live.id], seesAll), [live], "the live object");
  },

  "locks live objects for update in ascending order and reports their locks": async ({ storage, r }) => {
    const [first, second, ...others] = await createObjects(r, {}, {}, ...Array.from({ length: 10 }, () => ({})));
    const objects = [first, second, ...others];
    const visitor = await Visitor.create(r);
    const [mine, ended] = [await visitor.open(r), await visitor.open(r)];
    await r.locks.take(first.id, mine);
    await r.locks.take(second.id, ended);
    await r.sessions.end({ digest: ended });
    const lockedRows = await storage.transaction((inside) =>
      inside.deletion.lock([...idsOf(objects).toReversed(), first.id, ...unknownIds]),
    );
    const matching = await r.objects.match({ classes: ["File"] }, seesAll, 100);
    equal(pluck(lockedRows, "object"), matching, "the outlines of the locked rows");
    equal(
      pluck(lockedRows, "lockedBy"),
      [mine, ...objects.slice(1).map(() => null)],
      "the sessions that hold the locks",
    );
    await update(r, second.id, {});
  },

  "releases the locks of deleted objects": async ({ storage, r }) => {
    const session = await (await Visitor.create(r)).open(r);
    const { id } = await createObject(r);
    await r.locks.take(id, session);
    await deleteObjects(storage, [id]);
    equal([await r.locks.state(id), await r.locks.release(id, session)], [null, "notLocked"], "the lock");
  },

  "refuses deletion calls under an outdated model": async ({ storage, r }) => {
    const { id } = await createObject(r);
    const { generation } = await r.model.load();
    await r.model.change({ put: [] }, generation);
    for (const modelGeneration of [generation, generation + 1]) {
      const calls = {
        lock: ({ deletion }: Repositories) => deletion.lock([id], { modelGeneration }),
        recycledWith: ({ deletion }: Repositories) => deletion.recycledWith(id, { modelGeneration }),
      };
      for (const [name, call] of Object.entries(calls)) {
        const outcome = await storage.transaction<unknown>(call).catch((error: unknown) => error);
        const [refused, outdated] = [outcome instanceof OutdatedModelError, modelGeneration === generation];
        equal(refused, outdated, `whether ${name} is refused under model ${modelGeneration}`);
      }
    }
  },

  "rolls back deletions with their transaction": async ({ storage, r }) => {
    const [object, source] = await createObjects(r, {}, {});
    const changed = await update(r, source.id, {}, linking({ Boss: object.id }));
    await rolledBack(storage, async ({ deletion }) => {
      await deletion.lock([object.id]);
      await deletion.clear(await deletion.referrers([object.id], { attributes: null, limit: 10 }));
      await deletion.delete([object.id], { recycled: false, root: object.id });
    });
    equalInAnyOrder(await r.objects.get([object.id, source.id], seesAll), [object, changed], "the objects");
    equal(await tombstoneOf(r, object.id), null, "the tombstone of a live object");
  },

  "reports deletions as changes in commit order": async ({ storage, r }) => {
    const objects = await createObjects(r, {}, {}, {}, {});
    const [{ id: first }, { id: second }, { id: third }, { id: fourth }] = objects;
    const reached = await watermarkBehind(r, idsOf(objects));
    await deleteObjects(storage, [third]);
    await deleteObjects(storage, [second, first], true);
    await update(r, fourth, {});
    const { watermark, changes: behind } = await changesSince(r, reached, 2);
    const reported = behind.slice(0, -1);
    const expected = [
      [third, "deleted"],
      [first, "recycled"],
      [second, "recycled"],
      [fourth, "stored"],
    ];
    equal(rowsOf(reported, "id", "kind"), expected, "the changes");
    equal(pluck(reported, "version"), [2, 2, 2, 2], "the versions");
    equal(
      rowsOf(reported, "uuid", "className"),
      expected.map(([id]) => [objects.find((each) => each.id === id)?.uuid, "File"]),
      "the UUIDs and classes",
    );
    equal((await changesUpTo(r, watermark)).length, 5, "number of all changes");
  },

  "reports a database as not empty after all objects are deleted": async ({ storage, r }) => {
    await deleteObjects(storage, [(await createObject(r)).id]);
    equal(await r.settings.isEmpty(), false, "whether the database is empty");
  },
});
