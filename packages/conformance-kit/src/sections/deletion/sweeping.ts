import { beforeAllChanges, type ObjectId, type Repositories, seesAll } from "@sallyport/storage";
import { equal, failsWith, isTrue } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { changesUpTo, kitClasses, watermarkBehind } from "../../fixtures/changes-up-to.ts";
import { rowsOf } from "../../fixtures/lists.ts";
import {
  createInOneCall,
  createObject,
  createObjects,
  deleteObjects,
  idsOf,
  refusesUuid,
  restoreObjects,
  tombstoneOf,
  update,
} from "../../fixtures/objects.ts";
import { hour } from "../../fixtures/policy.ts";
import { rolledBack } from "../../fixtures/rolled-back.ts";

const user = "A1";

/** The clock of a database server can step back a little, for example from one processor to another. */
const overAnHour = hour + 1_000;

/** The highest forgotten stamp. */
async function sweptOf({ objects }: Repositories): Promise<number> {
  return (await objects.changes({ classes: [], after: beforeAllChanges, upTo: 1, limit: 1 })).swept;
}

/** Which of these objects have a tombstone. */
async function left(r: Repositories, ids: readonly ObjectId[]): Promise<ObjectId[]> {
  const found = await Promise.all(ids.map((id) => tombstoneOf(r, id)));
  return found.flatMap((tombstone) => tombstone?.id ?? []);
}

/** The changes up to the last one of an object. */
async function changesThrough(r: Repositories, id: ObjectId) {
  return changesUpTo(r, await watermarkBehind(r, [id]));
}

export const sweepingChecks: readonly Check[] = checksOf("deletion", {
  "keeps the deleting user of every tombstone": async ({ storage, r }) => {
    const [deleted, recycled, unknown] = await createObjects(r, {}, {}, {});
    for (const [{ id }, isRecycled] of [
      [deleted, false],
      [recycled, true],
    ] as const)
      await storage.transaction(async ({ deletion }) => {
        await deletion.lock([id]);
        await deletion.delete([id], { recycled: isRecycled, root: id, deletedBy: user });
      });
    await deleteObjects(storage, [unknown.id]);
    const users = async () =>
      Promise.all([deleted, recycled, unknown].map(async ({ id }) => (await tombstoneOf(r, id))?.deletedBy));
    equal(await users(), [user, user, null], "the deleting users");
    await storage.transaction(async ({ deletion }) => deletion.purge(idsOf(await deletion.recycledWith(recycled.id))));
    equal(await users(), [user, user, null], "the deleting users after a purge");
    const kept = await createObject(r);
    await storage.transaction(async ({ deletion }) => {
      await deletion.lock([kept.id]);
      const how = { recycled: true, root: kept.id, deletedBy: user, quota: 1 };
      equal(await deletion.delete([kept.id], how), "deleted", "the outcome with a quota of one");
    });
  },

  "forgets old tombstones, the oldest first, up to the limit": async ({ storage, r, advance }) => {
    const ids = idsOf(await createObjects(r, {}, {}, {}, {}));
    for (const id of ids.toReversed()) {
      await deleteObjects(storage, [id]);
      advance(overAnHour);
    }
    const counts = [await r.deletion.sweep(5 * hour, 10), await r.deletion.sweep(hour, 0)];
    equal(counts, [0, 0], "number of tombstones forgotten too early or with a limit of zero");
    equal(await r.deletion.sweep(2 * hour, 2), 2, "number of tombstones forgotten by the first sweep");
    equal(await left(r, ids), ids.slice(0, 2), "the remaining tombstones");
    equal(await r.deletion.sweep(2 * hour, 2), 1, "number of tombstones forgotten by the second sweep");
    equal(await left(r, ids), ids.slice(0, 1), "the remaining tombstones after the second sweep");
    equal(await r.deletion.sweep(2 * hour, 2), 0, "number of tombstones forgotten by the third sweep");
  },

  "forgets purged objects by the time of their purge": async ({ storage, r, advance }) => {
    const [purged, deleted] = await createObjects(r, {}, {});
    await deleteObjects(storage, [purged.id], true);
    advance(overAnHour);
    await deleteObjects(storage, [deleted.id]);
    advance(overAnHour);
    await storage.transaction(async ({ deletion }) => deletion.purge(idsOf(await deletion.recycledWith(purged.id))));
    advance(overAnHour);
    equal(await r.deletion.sweep(hour, 1), 1, "number of forgotten tombstones");
    equal(await left(r, idsOf([purged, deleted])), [purged.id], "the remaining tombstone");
  },

  "forgets readers of before of several objects, the oldest first": async ({ r, advance }) => {
    const [one, other] = await createInOneCall(r, {}, {});
    for (const [{ id }, readers] of [
      [one, ["A1"]],
      [other, ["A1"]],
      [one, ["B2"]],
    ] as const) {
      await update(r, id, {}, { readers });
      advance(overAnHour);
    }
    const last = await createObject(r);
    const before = await changesThrough(r, last.id);
    equal(
      rowsOf(before, "id", "readersBefore").slice(0, 3),
      [
        [one.id, null],
        [other.id, null],
        [one.id, ["A1"]],
      ],
      "the changes before a sweep",
    );
    equal(await r.deletion.sweep(hour, 2), 2, "number of forgotten changes of readers");
    equal(await sweptOf(r), before[1]?.stamp, "the highest forgotten stamp");
    equal(
      rowsOf(await changesThrough(r, last.id), "id", "readersBefore"),
      [
        [other.id, ["A1"]],
        [one.id, ["A1"]],
        [last.id, []],
      ],
      "the changes afterwards",
    );
  },

  "keeps objects and the recycle bin": async ({ storage, r, advance }) => {
    const [live, recycled, purged] = await createObjects(r, {}, {}, {});
    await deleteObjects(storage, [recycled.id, purged.id], true);
    advance(2 * hour);
    equal(await r.deletion.sweep(hour, 10), 0, "number of forgotten tombstones");
    await restoreObjects(storage, recycled.id);
    equal((await r.objects.get(idsOf([live, recycled, purged]), seesAll)).length, 3, "number of objects");
    await deleteObjects(storage, [purged.id], true);
    advance(2 * hour);
    equal(await r.deletion.sweep(hour, 10), 2, "number of forgotten readers before the restoration");
    await storage.transaction(async ({ deletion }) => deletion.purge(idsOf(await deletion.recycledWith(purged.id))));
    equal(await r.deletion.sweep(hour, 10), 0, "number of tombstones forgotten before their age since the purge");
    advance(2 * hour);
    equal(await r.deletion.sweep(hour, 10), 1, "number of forgotten tombstones after a purge");
  },

  "treats forgotten objects as unknown, but never reuses their IDs and UUIDs": async ({ storage, r, advance }) => {
    const [{ id, uuid }, other] = await createObjects(r, {}, {});
    await deleteObjects(storage, [id]);
    advance(overAnHour);
    await r.deletion.sweep(hour, 10);
    equal(await r.deletion.find({ kind: "uuid", uuid }, seesAll), null, "the tombstone");
    await failsWith(304, () => update(r, id, {}), "changing a forgotten object");
    equal(await r.deletion.targets([id]), [], "the target of a link to a forgotten object");
    await refusesUuid(() => createObject(r, { uuid: uuid.toUpperCase() }), "using the UUID");
    const file = { className: "File", attributes: {} };
    await refusesUuid(() => r.objects.insert([file, { ...file, uuid }]), "using the UUID beside a generated one");
    isTrue((await createObject(r)).id !== id, "The ID must not be reused");
    equal((await r.objects.get([other.id], seesAll)).length, 1, "number of other objects");
  },

  "does not report a database as empty after all objects are forgotten": async ({ storage, r, advance }) => {
    await deleteObjects(storage, [(await createObject(r)).id]);
    advance(overAnHour);
    await r.deletion.sweep(hour, 10);
    equal(await r.settings.isEmpty(), false, "whether the database is empty");
  },

  "reports the highest forgotten stamp, and keeps the watermark": async ({ storage, r, advance }) => {
    const [first, second, last] = await createInOneCall(r, {}, {}, {});
    equal(await sweptOf(r), 0, "the highest forgotten stamp before a sweep");
    for (const { id } of [first, second, last]) {
      await deleteObjects(storage, [id]);
      advance(overAnHour);
    }
    const changes = await changesThrough(r, last.id);
    const watermark = await r.objects.watermark();
    const stamps = changes.map(({ stamp }) => stamp);
    equal(await r.deletion.sweep(2 * hour, 10), 2, "number of forgotten tombstones");
    equal(await sweptOf(r), stamps[1], "the highest forgotten stamp");
    equal(await r.deletion.sweep(2 * hour, 10), 0, "number of tombstones forgotten by another sweep");
    equal(await sweptOf(r), stamps[1], "the highest forgotten stamp after another sweep");
    equal(await r.deletion.sweep(hour, 10), 1, "number of forgotten tombstones of the last object");
    equal(await sweptOf(r), stamps[2], "the highest forgotten stamp after the last tombstone");
    isTrue((await r.objects.watermark()) >= watermark, "The watermark must not decrease");
    equal(await changesUpTo(r, watermark), [], "the changes");
    const { id } = await createObject(r);
    const [created] = await changesThrough(r, id);
    isTrue((created?.stamp ?? 0) > watermark, "The stamp of a later write must be higher");
    const page = await r.objects.changes({ classes: kitClasses, after: beforeAllChanges, upTo: watermark, limit: 0 });
    equal(page, { changes: [], swept: stamps[2] }, "an empty page");
  },

  "forgets old readers of before after the tombstones": async ({ storage, r, advance }) => {
    const [object, deleted, other] = await createInOneCall(r, {}, {}, {});
    await update(r, object.id, {}, { readers: ["A1"] });
    await update(r, deleted.id, {}, { readers: ["A1"] });
    await deleteObjects(storage, [deleted.id]);
    advance(overAnHour);
    await update(r, object.id, {}, { readers: ["B2"] });
    await update(r, object.id, {});
    await update(r, other.id, {});
    const before = await changesThrough(r, other.id);
    equal(
      rowsOf(before, "id", "kind", "readersBefore"),
      [
        [object.id, "superseded", null],
        [deleted.id, "superseded", null],
        [deleted.id, "deleted", ["A1"]],
        [object.id, "superseded", ["A1"]],
        [object.id, "stored", ["B2"]],
        [other.id, "stored", null],
      ],
      "the changes before a sweep",
    );
    equal(await r.deletion.sweep(hour, 1), 1, "number of forgotten tombstones");
    equal(await sweptOf(r), before[2]?.stamp, "the highest forgotten stamp");
    equal(await changesUpTo(r, before[5]?.stamp ?? 0), before.toSpliced(1, 2), "the changes without the tombstone");
    equal(await r.deletion.sweep(hour, 10), 1, "number of forgotten changes of readers");
    equal(await changesUpTo(r, before[5]?.stamp ?? 0), before.slice(3), "the changes without the old readers");
    equal(await sweptOf(r), before[2]?.stamp, "the highest forgotten stamp afterwards");
    advance(overAnHour);
    equal(await r.deletion.sweep(hour, 10), 1, "number of changes of readers forgotten later");
    equal(await sweptOf(r), before[3]?.stamp, "the highest forgotten stamp at the end");
  },

  "forgets nothing in a transaction that is rolled back": async ({ storage, r, advance }) => {
    const { id } = await createObject(r);
    await deleteObjects(storage, [id]);
    advance(overAnHour);
    await rolledBack(storage, ({ deletion }) => deletion.sweep(hour, 10));
    equal([await left(r, [id]), await sweptOf(r)], [[id], 0], "the tombstone, and the highest forgotten stamp");
  },
});
