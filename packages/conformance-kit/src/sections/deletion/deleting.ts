import { OutdatedModelError, type Repositories, seesAll } from "@sallyport/core";
import { equal, equalInAnyOrder, failsWith, holds } from "../../assert/index.ts";
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
  nowhere,
  objectByUuid,
  deleteObjects,
  changesSince,
  update,
} from "../../fixtures/objects.ts";
import { hour } from "../../fixtures/policy.ts";
import { Visitor } from "../../fixtures/visitor.ts";

export const deletingChecks: readonly Check[] = checksOf("deletion", {
  "take objects out of everything that is read, and leave what they were": async ({ storage, r, advance }) => {
    for (const recycled of [false, true]) {
      const [object, restricted, other] = await createObjects(r, {}, { readers: ["A1"] }, {});
      await update(r, object.id, { Name: "newer" });
      const before = (await findObjects(r, ["File"])).length;
      advance(hour);
      const start = await storage.now();
      equal(await deleteObjects(storage, idsOf([object, restricted]), recycled), 2, "how many go");
      const end = await storage.now();
      equal(await r.objects.get(idsOf([object, restricted, other]), seesAll), [other], "the objects by id");
      equal(await objectByUuid(r, object.uuid), null, "one object by UUID");
      equal(await r.objects.get({ uuids: [object.uuid, restricted.uuid] }, seesAll), [], "the objects by UUID");
      const listed = (await findObjects(r, ["File"])).length;
      const counted = await r.objects.count({ classes: ["File"] }, seesAll);
      equal([listed, counted], [before - 2, before - 2], "how many are listed and counted");
      for (const { id, uuid, className } of [object, restricted]) {
        const left = await tombstoneOf(r, id);
        holds(left !== null && start <= left.deletedAt && left.deletedAt <= end, "The time is that of the deletion");
        const [version, kind] = [id === object.id ? 3 : 2, recycled ? "recycled" : "deleted"];
        equal(left, { id, uuid, className, version, deletedAt: left.deletedAt, kind }, "what is left");
        const byUuid = await r.deletion.find({ kind: "uuid", uuid: uuid.toUpperCase() }, seesAll);
        equal(byUuid, left, "what is left, by UUID");
      }
      equal(await tombstoneOf(r, other.id), null, "what is left of an object that is there");
    }
  },

  "are seen by those who could read the object": async ({ storage, r }) => {
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
        equal(await r.deletion.find({ kind: "uuid", uuid }, visibility), byId, "what is found by UUID");
        if (byId !== null) found.push(byId);
      }
      equal(idsOf(found), idsOf(seen), "what is seen");
    }
  },

  "are of nothing where nothing was": async ({ storage, r }) => {
    await deleteObjects(storage, [(await createObject(r)).id]);
    for (const id of nowhere) equal(await tombstoneOf(r, id), null, `what is left of "${id}"`);
    for (const uuid of ["00000000-0000-4000-8000-000000000000", "", "x"])
      equal(await r.deletion.find({ kind: "uuid", uuid }, seesAll), null, `what is left of "${uuid}"`);
    equal(await deleteObjects(storage, nowhere), 0, "how many of nothing go");
  },

  "keep their UUIDs to themselves": async ({ storage, r }) => {
    for (const recycled of [false, true]) {
      const { id, uuid } = await createObject(r);
      await deleteObjects(storage, [id], recycled);
      const taken = () => createObject(r, { uuid: uuid.toUpperCase() });
      await failsWith(307, taken, "creating an object with the UUID of one that is gone");
      const file = { className: "File", attributes: {} };
      const beside = () => r.objects.insert([file, { ...file, uuid }]);
      await failsWith(307, beside, "creating it beside one whose UUID is made by the storage");
      holds((await createObject(r)).id !== id, "The id is not given again");
    }
  },

  "are told from what was never there by those who write": async ({ storage, r }) => {
    const [deleted, recycled, live] = await createObjects(r, {}, {}, {});
    await deleteObjects(storage, [deleted.id]);
    await deleteObjects(storage, [recycled.id], true);
    const session = await (await Visitor.create(r)).open(r);
    for (const { id } of [deleted, recycled]) {
      const changes = [changeOf(live.id, { Name: "new" }), changeOf(id, {})];
      await failsWith(610, () => r.objects.update(changes, noSession), "changing an object that is gone");
      await failsWith(307, () => update(r, live.id, {}, linking({ Boss: id })), "pointing to it");
      await failsWith(307, () => createObject(r, linking({ Boss: id })), "creating what points to it");
      equal([await r.locks.take(id, session), await r.locks.state(id)], ["gone", null], "locking it");
    }
    await failsWith(304, () => update(r, "ZZZZZZZZZZ", {}), "changing an object that never was");
    equal(await r.objects.get([live.id], seesAll), [live], "the object that is there");
  },

  "hold what is there, by ascending number, and tell who has locked it": async ({ storage, r }) => {
    const [first, second, ...others] = await createObjects(r, {}, {}, ...Array.from({ length: 10 }, () => ({})));
    const objects = [first, second, ...others];
    const visitor = await Visitor.create(r);
    const [mine, ended] = [await visitor.open(r), await visitor.open(r)];
    await r.locks.take(first.id, mine);
    await r.locks.take(second.id, ended);
    await r.sessions.end({ digest: ended });
    const held = await storage.transaction((inside) =>
      inside.deletion.lock([...idsOf(objects).toReversed(), first.id, ...nowhere]),
    );
    const matching = await r.objects.match({ classes: ["File"] }, seesAll, 100);
    equal(pluck(held, "object"), matching, "what is told of the objects that are held");
    equal(pluck(held, "lockedBy"), [mine, ...objects.slice(1).map(() => null)], "who has locked them");
    await update(r, second.id, {});
  },

  "end the locks of what goes": async ({ storage, r }) => {
    const session = await (await Visitor.create(r)).open(r);
    const { id } = await createObject(r);
    await r.locks.take(id, session);
    await deleteObjects(storage, [id]);
    equal([await r.locks.state(id), await r.locks.release(id, session)], [null, "free"], "the lock");
  },

  "are refused under an outdated model": async ({ storage, r }) => {
    const { id } = await createObject(r);
    const { generation } = await r.model.load();
    await r.model.change({ put: [] }, generation);
    for (const modelGeneration of [generation, generation + 1]) {
      const calls = {
        hold: ({ deletion }: Repositories) => deletion.lock([id], { modelGeneration }),
        recycledWith: ({ deletion }: Repositories) => deletion.recycledWith(id, { modelGeneration }),
      };
      for (const [name, call] of Object.entries(calls)) {
        const outcome = await storage.transaction<unknown>(call).catch((error: unknown) => error);
        const [refused, outdated] = [outcome instanceof OutdatedModelError, modelGeneration === generation];
        equal(refused, outdated, `whether ${name} is refused under the model ${modelGeneration}`);
      }
    }
  },

  "leave nothing behind when their transaction is taken back": async ({ storage, r }) => {
    const [object, source] = await createObjects(r, {}, {});
    const changed = await update(r, source.id, {}, linking({ Boss: object.id }));
    await rolledBack(storage, async ({ deletion }) => {
      await deletion.lock([object.id]);
      await deletion.clear(await deletion.referrers([object.id], { attributes: null, limit: 10 }));
      await deletion.delete([object.id], { recycled: false, root: object.id });
    });
    equalInAnyOrder(await r.objects.get([object.id, source.id], seesAll), [object, changed], "the objects");
    equal(await tombstoneOf(r, object.id), null, "what is left of an object that is there");
  },

  "are told as changes, in the order in which they came": async ({ storage, r }) => {
    const objects = await createObjects(r, {}, {}, {}, {});
    const [{ id: first }, { id: second }, { id: third }, { id: fourth }] = objects;
    const reached = await watermarkBehind(r, idsOf(objects));
    await deleteObjects(storage, [third]);
    await deleteObjects(storage, [second, first], true);
    await update(r, fourth, {});
    const { watermark, told: behind } = await changesSince(r, reached, 2);
    const told = behind.slice(0, -1);
    const expected = [
      [third, "deleted"],
      [first, "recycled"],
      [second, "recycled"],
      [fourth, "stored"],
    ];
    equal(rowsOf(told, "id", "kind"), expected, "what is told");
    equal(pluck(told, "version"), [2, 2, 2, 2], "the versions");
    equal(
      rowsOf(told, "uuid", "className"),
      expected.map(([id]) => [objects.find((each) => each.id === id)?.uuid, "File"]),
      "UUIDs and classes",
    );
    equal((await changesUpTo(r, watermark)).length, 5, "how many changes there are in all");
  },

  "leave a database that is not empty": async ({ storage, r }) => {
    await deleteObjects(storage, [(await createObject(r)).id]);
    equal(await r.settings.isEmpty(), false, "whether the database is empty");
  },
});
