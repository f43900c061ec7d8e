import { type Departure, OutdatedModelError, type Repositories, seesAll, type StoredObject } from "@sallyport/core";
import { equal, equalInAnyOrder, failsWith, holds } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { changeOf, changesUpTo, watermarkBehind } from "../../fixtures/changes-up-to.ts";
import { createObject, findObjects, idsOf, takeAway } from "../../fixtures/objects.ts";
import { hour } from "../../fixtures/policy.ts";
import { Visitor } from "../../fixtures/visitor.ts";

const anybody = { session: null };
const page = { offset: 0, limit: 100 };
/** What is no id of an object, and what could be the id of one. */
const nowhere = ["ZZZZZZZZZZ", "0", "", "a1", "constructor"];

/** What is left of an object, for those who see everything. */
function leftOf({ departures }: Repositories, { id }: StoredObject): Promise<Departure | null> {
  return departures.find({ kind: "id", id }, seesAll);
}

export const goingChecks: readonly Check[] = checksOf("departures", {
  "take objects out of everything that is read, and leave what they were": async ({ storage, r, advance }) => {
    for (const recycled of [false, true]) {
      const [object, restricted, other] = [
        await createObject(r),
        await createObject(r, { readers: ["A1"] }),
        await createObject(r),
      ];
      await r.objects.update([changeOf(object.id, { Name: "newer" })], anybody);
      const before = (await findObjects(r, ["File"], seesAll, page)).length;
      advance(hour);
      const start = await storage.now();
      equal(await takeAway(storage, idsOf([object, restricted]), recycled), 2, "how many go");
      const end = await storage.now();
      equal(await r.objects.get(idsOf([object, restricted, other]), seesAll), [other], "the objects by id");
      equal(
        [
          (await r.objects.get({ uuids: [object.uuid] }, seesAll))[0] ?? null,
          await r.objects.get({ uuids: [object.uuid, restricted.uuid] }, seesAll),
        ],
        [null, []],
        "the objects by UUID",
      );
      const listed = await findObjects(r, ["File"], seesAll, page);
      equal(
        [listed.length, await r.objects.count({ classes: ["File"] }, seesAll)],
        [before - 2, before - 2],
        "how many are listed and counted",
      );
      for (const [gone, version] of [
        [object, 3],
        [restricted, 2],
      ] as const) {
        const left = await leftOf(r, gone);
        const { id, uuid, className } = gone;
        holds(left !== null && start <= left.departedAt && left.departedAt <= end, "The time is that of the departure");
        equal(
          left,
          { id, uuid, className, version, departedAt: left.departedAt, kind: recycled ? "recycled" : "deleted" },
          "what is left",
        );
        equal(
          await r.departures.find({ kind: "uuid", uuid: uuid.toUpperCase() }, seesAll),
          left,
          "what is left, by UUID",
        );
      }
      equal(await leftOf(r, other), null, "what is left of an object that is there");
    }
  },

  "are seen by those who could read the object": async ({ storage, r }) => {
    const [open, restricted, hidden] = [
      await createObject(r),
      await createObject(r, { readers: ["A1", "B2"] }),
      await createObject(r, { readers: [] }),
    ];
    const image = await createObject(r, { className: "Image" });
    const all = [open, restricted, hidden, image];
    for (const [index, object] of all.entries()) await takeAway(storage, [object.id], index % 2 === 0);
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
        const byId = await r.departures.find({ kind: "id", id }, visibility);
        equal(await r.departures.find({ kind: "uuid", uuid }, visibility), byId, "what is found by UUID");
        if (byId !== null) found.push(byId);
      }
      equal(idsOf(found), idsOf(seen), "what is seen");
    }
  },

  "are of nothing where nothing was": async ({ storage, r }) => {
    await takeAway(storage, [(await createObject(r)).id]);
    for (const id of nowhere)
      equal(await r.departures.find({ kind: "id", id }, seesAll), null, `what is left of "${id}"`);
    for (const uuid of ["00000000-0000-4000-8000-000000000000", "", "x"])
      equal(await r.departures.find({ kind: "uuid", uuid }, seesAll), null, `what is left of "${uuid}"`);
    equal(await takeAway(storage, nowhere), 0, "how many of nothing go");
  },

  "keep their UUIDs to themselves": async ({ storage, r }) => {
    for (const recycled of [false, true]) {
      const { id, uuid } = await createObject(r);
      await takeAway(storage, [id], recycled);
      await failsWith(
        307,
        () => createObject(r, { uuid: uuid.toUpperCase() }),
        "creating an object with the UUID of one that is gone",
      );
      const beside = { className: "File", attributes: {} };
      await failsWith(
        307,
        () => r.objects.insert([beside, { ...beside, uuid }]),
        "creating it beside one whose UUID is made by the storage",
      );
      holds((await createObject(r)).id !== id, "The id is not given again");
    }
  },

  "are told from what was never there by those who write": async ({ storage, r }) => {
    const [deleted, recycled, live] = [await createObject(r), await createObject(r), await createObject(r)];
    await takeAway(storage, [deleted.id]);
    await takeAway(storage, [recycled.id], true);
    const session = await (await Visitor.create(r)).open(r);
    for (const { id } of [deleted, recycled]) {
      await failsWith(
        610,
        () => r.objects.update([changeOf(live.id, { Name: "new" }), changeOf(id, {})], anybody),
        "changing an object that is gone",
      );
      await failsWith(
        307,
        () => r.objects.update([changeOf(live.id, { Boss: id }, { links: { Boss: [id] } })], anybody),
        "pointing to it",
      );
      await failsWith(
        307,
        () => r.objects.insert([{ className: "File", attributes: { Boss: id }, links: { Boss: [id] } }]),
        "creating what points to it",
      );
      equal([await r.locks.take(id, session), await r.locks.state(id)], ["gone", null], "locking it");
    }
    await failsWith(
      304,
      () => r.objects.update([changeOf("ZZZZZZZZZZ", {})], anybody),
      "changing an object that never was",
    );
    equal(await r.objects.get([live.id], seesAll), [live], "the object that is there");
  },

  "hold what is there, by ascending number, and tell who has locked it": async ({ storage, r }) => {
    const objects: StoredObject[] = [];
    for (let index = 0; index < 12; index += 1) objects.push(await createObject(r));
    const [first, second] = objects as [StoredObject, StoredObject];
    const visitor = await Visitor.create(r);
    const [mine, ended] = [await visitor.open(r), await visitor.open(r)];
    await r.locks.take(first.id, mine);
    await r.locks.take(second.id, ended);
    await r.sessions.end({ digest: ended });
    const held = await storage.transaction((inside) =>
      inside.departures.hold([...idsOf(objects).toReversed(), first.id, ...nowhere]),
    );
    equal(
      held.map(({ object }) => object),
      await r.objects.match({ classes: ["File"] }, seesAll, 100),
      "what is told of the objects that are held",
    );
    equal(
      held.map(({ lockedBy }) => lockedBy),
      [mine, ...objects.slice(1).map(() => null)],
      "who has locked them",
    );
    await r.objects.update([changeOf(second.id, {})], anybody);
  },

  "end the locks of what goes": async ({ storage, r }) => {
    const session = await (await Visitor.create(r)).open(r);
    const { id } = await createObject(r);
    await r.locks.take(id, session);
    await takeAway(storage, [id]);
    equal([await r.locks.state(id), await r.locks.release(id, session)], [null, "free"], "the lock");
  },

  "are refused under an outdated model": async ({ storage, r }) => {
    const { id } = await createObject(r);
    const { generation } = await r.model.load();
    await r.model.change({ put: [] }, generation);
    for (const [modelGeneration, outdated] of [
      [generation, true],
      [generation + 1, false],
    ] as const) {
      for (const call of ["hold", "recycledWith"] as const) {
        const outcome = await storage
          .transaction<unknown>((inside) =>
            call === "hold"
              ? inside.departures.hold([id], { modelGeneration })
              : inside.departures.recycledWith(id, { modelGeneration }),
          )
          .catch((error: unknown) => error);
        equal(
          outcome instanceof OutdatedModelError,
          outdated,
          `whether ${call} is refused under the model ${modelGeneration}`,
        );
      }
    }
  },

  "leave nothing behind when their transaction is taken back": async ({ storage, r }) => {
    const [object, source] = [await createObject(r), await createObject(r)];
    const [changed] = (await r.objects.update(
      [changeOf(source.id, { Boss: object.id }, { links: { Boss: [object.id] } })],
      anybody,
    )) as [StoredObject];
    await storage
      .transaction(async (inside) => {
        await inside.departures.hold([object.id]);
        await inside.departures.clear(await inside.departures.referrers([object.id], { attributes: null, limit: 10 }));
        await inside.departures.depart([object.id], { recycled: false, leader: object.id });
        throw new Error("taken back");
      })
      .catch(() => {});
    equalInAnyOrder(await r.objects.get([object.id, source.id], seesAll), [object, changed], "the objects");
    equal(await leftOf(r, object), null, "what is left of an object that is there");
  },

  "are told as changes, in the order in which they came": async ({ storage, r }) => {
    const objects = [await createObject(r), await createObject(r), await createObject(r), await createObject(r)];
    const [first, second, third, fourth] = idsOf(objects) as [string, string, string, string];
    const reached = await watermarkBehind(r, idsOf(objects));
    await takeAway(storage, [third]);
    await takeAway(storage, [second, first], true);
    await r.objects.update([changeOf(fourth, {})], anybody);
    const watermark = await watermarkBehind(r, [(await createObject(r)).id]);
    const told = (await changesUpTo(r, watermark, { stamp: reached, id: null }, 2)).slice(0, -1);
    const expected = [
      [third, "deleted"],
      [first, "recycled"],
      [second, "recycled"],
      [fourth, "stored"],
    ];
    equal(
      told.map(({ id, kind }) => [id, kind]),
      expected,
      "what is told",
    );
    equal(
      told.map(({ version }) => version),
      [2, 2, 2, 2],
      "the versions",
    );
    equal(
      told.map(({ uuid, className }) => [uuid, className]),
      expected.map(([id]) => [objects.find((each) => each.id === id)?.uuid, "File"]),
      "UUIDs and classes",
    );
    equal((await changesUpTo(r, watermark)).length, 5, "how many changes there are in all");
  },

  "leave a database that is not empty": async ({ storage, r }) => {
    await takeAway(storage, [(await createObject(r)).id]);
    equal(await r.settings.isEmpty(), false, "whether the database is empty");
  },
});
