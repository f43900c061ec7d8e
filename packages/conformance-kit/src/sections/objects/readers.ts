import {
  type ErrorCode,
  type ObjectId,
  type Repositories,
  seesAll,
  type StoredObject,
  type Visibility,
} from "@sallyport/storage";
import { equal, equalInAnyOrder, failsWith } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { concurrently } from "../../fixtures/concurrently.ts";
import { changeOf } from "../../fixtures/changes-up-to.ts";
import {
  noSession,
  createObject,
  createObjects,
  files,
  idsOf,
  objectOf,
  deleteObjects,
  update,
} from "../../fixtures/objects.ts";
import { rolledBack } from "../../fixtures/rolled-back.ts";
import { Visitor } from "../../fixtures/visitor.ts";

const lists = [["A1"], ["A1", "B2"], [], ["C3"], null, null, ["B2"]] as const;

const seenBy = (...principals: ObjectId[]): Visibility => ({
  classes: new Set(["File"]),
  principals: new Set(principals),
});
/** The visibility of the readers, of others, of no one, and of everything. */
const callers = [seenBy("A1"), seenBy("B2"), seenBy("C3", "A1"), seenBy("D4"), seenBy(), seesAll];

function counts(r: Repositories): Promise<number[]> {
  return Promise.all(callers.map((visibility) => r.objects.count({ classes: ["File"] }, visibility)));
}

export const objectReadersChecks: readonly Check[] = checksOf("objects", {
  "replaces the readers if they are given and keeps them otherwise": async ({ r }) => {
    const [leads, beside] = await createObjects(r, { readers: ["D4"] }, { readers: ["D4"] });
    const object = await createObject(r, { attributes: { Name: "plan", To: leads.id }, links: { To: [leads.id] } });
    let before = object;
    for (const readers of lists) {
      // In one call with an object that keeps its readers.
      const changes = [changeOf(object.id, {}, { readers }), changeOf(beside.id, { Name: "new" })];
      const [changed, other] = await r.objects.update(changes, noSession);
      equal(
        changed,
        { ...before, version: before.version + 1, storedAt: changed?.storedAt, readers },
        `the result of changing the readers to ${JSON.stringify(readers)}`,
      );
      equal(other?.readers, ["D4"], "the readers of the other object");
      equal(await objectOf(r, object.id), changed, "the object");
      before = changed as StoredObject;
    }
    const last = await update(r, object.id, { Name: "new" }, { readers: ["A1"] });
    equal([last?.attributes, last?.readers], [{ Name: "new", To: leads.id }, ["A1"]], "the attributes and readers");
    const kept = await update(r, object.id, { Name: "newer" });
    equal(kept?.readers, ["A1"], "the readers after a change of an attribute");
  },

  "shows an object to its new readers only, immediately": async ({ storage, r }) => {
    const object = await createObject(r);
    const query = { classes: ["File"] };
    const filter = { kind: "oneOf", path: { hops: [], leaf: "~ObjectID", type: "id" }, values: [object.id] } as const;
    const seen = async ({ objects }: Repositories, visibility: Visibility) => [
      (await objects.get([object.id], visibility)).length,
      (await objects.get({ uuids: [object.uuid] }, visibility)).length,
      (await objects.outlines([object.id], visibility)).length,
      (await objects.find(query, visibility, { offset: 0, limit: 10 })).objects.length,
      (await objects.find({ ...query, filter }, visibility, { offset: 0, limit: 10 })).objects.length,
      (await objects.match(query, visibility, 10)).length,
      await objects.count(query, visibility),
      await objects.count({ ...query, filter }, visibility),
    ];
    const assertSeen = async (by: Repositories, readers: readonly ObjectId[] | null) => {
      for (const visibility of callers) {
        const { principals } = visibility;
        const isReader = readers === null || principals === null || readers.some((id) => principals.has(id));
        const times = Array<number>(8).fill(isReader ? 1 : 0);
        const caller = JSON.stringify(principals === null ? null : [...principals]);
        equal(
          await seen(by, visibility),
          times,
          `the number of reads in which ${caller} sees an object for ${JSON.stringify(readers)}`,
        );
      }
    };
    for (const readers of lists) {
      await storage.transaction(async (inside) => {
        await update(inside, object.id, {}, { readers });
        await assertSeen(inside, readers);
      });
      await assertSeen(r, readers);
    }
  },

  "counts objects correctly during concurrent and rolled-back changes of readers": async ({ storage, r }) => {
    const created = await r.objects.insert(files(12));
    const ids = idsOf(created);
    const to = (readers: readonly ObjectId[] | null) => ids.map((id) => changeOf(id, {}, { readers }));
    await r.objects.update([...to(["A1"]).slice(0, 5), ...to([]).slice(5, 7)], noSession);
    equal(await counts(r), [10, 5, 10, 5, 5, 12], "the counts of each caller");
    await r.objects.update([...to(["B2"]).slice(0, 2), ...to(null).slice(2, 6)], noSession);
    equal(await counts(r), [9, 11, 9, 9, 9, 12], "the counts of each caller after the second change");
    await rolledBack(storage, async (inside) => {
      await inside.objects.update(to(["C3"]), noSession);
      equal(await counts(inside), [0, 0, 12, 0, 0, 12], "the counts of each caller inside the transaction");
    });
    equal(await counts(r), [9, 11, 9, 9, 9, 12], "the counts of each caller after the rollback");
    await concurrently(8, (index) => r.objects.update(to(index % 2 === 0 ? ["A1"] : null), noSession));
    await r.objects.update(to(null).slice(0, 1), noSession);
    const open = (await r.objects.get(ids, seesAll)).filter(({ readers }) => readers === null).length;
    equal(await counts(r), [12, open, 12, open, open, 12], "the counts of each caller after the concurrent changes");
    equal((await r.objects.get(ids, seenBy())).length, open, "number of public objects");
  },

  "keeps the readers if the change is refused, all or nothing": async ({ storage, r }) => {
    const holder = await (await Visitor.create(r)).open(r);
    const [open, locked, restricted, gone] = await createObjects(r, {}, {}, { readers: ["A1"] }, {});
    await r.locks.take(locked.id, holder);
    await deleteObjects(storage, [gone.id]);
    const { generation } = await r.model.load();
    const refused: [ErrorCode, StoredObject, object, object][] = [
      [713, locked, {}, noSession],
      [713, open, { expectedVersions: [2] }, noSession],
      [304, restricted, {}, { ...noSession, visibility: seenBy("B2") }],
      [304, open, {}, { ...noSession, className: "Image" }],
      [610, gone, {}, noSession],
      [706, open, {}, { ...noSession, modelGeneration: generation + 1 }],
    ];
    for (const [code, object, more, by] of refused) {
      const others = [open].filter(({ id }) => id !== object.id).map(({ id }) => changeOf(id, {}, { readers: ["B2"] }));
      const changes = [...others, changeOf(object.id, {}, { readers: ["B2"], ...more })];
      const write = () => r.objects.update(changes, { session: null, ...by });
      await failsWith(code, write, `changing the readers of ${object.id}`);
    }
    const kept = [open, locked, restricted];
    equalInAnyOrder(await r.objects.get(idsOf(kept), seesAll), kept, "the objects");
    equal(await r.objects.count({ classes: ["File"] }, seenBy()), 2, "number of public objects");
    const mine = { session: holder };
    const changed = await update(r, locked.id, {}, { readers: ["B2"], expectedVersions: [1] }, mine);
    equal([changed?.version, changed?.readers], [2, ["B2"]], "the result for the session that holds the lock");
  },
});
