import { beforeAllChanges, type Storage } from "@sallyport/storage";
import { equal, failsWith, isTrue } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { changesUpTo, readChanges, watermarkBehind } from "../../fixtures/changes-up-to.ts";
import { repeatWhilePending, sequentially } from "../../fixtures/concurrently.ts";
import { pluck, rowsOf } from "../../fixtures/lists.ts";
import { hostileTexts } from "../../fixtures/hostile-texts.ts";
import {
  createObject,
  createInOneCall,
  deleteObjects,
  files,
  idsOf,
  changesSince,
  update,
} from "../../fixtures/objects.ts";

/** Creates objects in several transactions. Returns their ids, the watermark and the changes. */
async function severalTransactions(storage: Storage) {
  const insert = (count: number) => storage.transaction((inside) => inside.objects.insert(files(count)));
  const created = idsOf((await sequentially([1, 5, 1, 40, 3], insert)).flat());
  const watermark = await watermarkBehind(storage.repositories, created);
  return { created, watermark, all: await changesUpTo(storage.repositories, watermark) };
}

export const changeReadingChecks: readonly Check[] = checksOf("changes", {
  "returns no changes for a new database": async ({ r }) => {
    const watermark = await r.objects.watermark();
    isTrue(Number.isSafeInteger(watermark) && watermark >= 0, `The watermark ${watermark} must be a whole number`);
    equal(await readChanges(r, beforeAllChanges, watermark, 10), [], "the changes");
  },

  "returns a change for every stored object regardless of its readers": async ({ r }) => {
    const restricted = { className: "Image", attributes: {}, readers: [] };
    let before = await r.objects.watermark();
    for (const objects of [files(2), [{ className: "User", attributes: { Name: "new" } }, restricted], [restricted]]) {
      const created = [...(await r.objects.insert(objects)), ...(await r.objects.insert(files(1)))];
      const watermark = await watermarkBehind(r, idsOf(created.slice(-1)));
      const changes = await changesUpTo(r, watermark, { stamp: before, id: null });
      const expected = created.map(({ id, uuid, className, version }) => [id, uuid, className, version, "stored"]);
      equal(rowsOf(changes, "id", "uuid", "className", "version", "kind"), expected, "the changes");
      isTrue(
        changes.every(({ stamp }) => Number.isSafeInteger(stamp) && stamp > before),
        `The stamps must be whole numbers above ${before}`,
      );
      before = watermark;
    }
    equal((await changesUpTo(r, before)).length, 8, "number of all changes");
  },

  "replaces the change of an object with the latest one and its version": async ({ r }) => {
    const [first, second, third] = await createInOneCall(r, {}, {}, {});
    const reached = await watermarkBehind(r, idsOf([first, second, third]));
    for (const name of ["new", "newer"]) await update(r, second.id, { Name: name });
    await update(r, first.id, {});
    const { last, watermark, changes } = await changesSince(r, reached);
    equal(
      rowsOf(changes, "id", "version"),
      [
        [second.id, 3],
        [first.id, 2],
        [last.id, 1],
      ],
      "the changes after the updates",
    );
    equal(await changesUpTo(r, watermark), [...(await changesUpTo(r, reached)), ...changes], "all changes");
    equal(idsOf(await changesUpTo(r, reached)), [third.id], "the remaining earlier changes");
  },

  "reads changes after a given position, within a stamp and after it": async ({ storage, r }) => {
    const { watermark, all } = await severalTransactions(storage);
    for (const [index, { stamp, id }] of all.entries()) {
      const behind = await readChanges(r, { stamp, id }, watermark, 100);
      equal(behind, all.slice(index + 1), `the changes after number ${index + 1}`);
    }
    for (const stamp of new Set(pluck(all, "stamp"))) {
      const later = all.filter((each) => each.stamp > stamp);
      equal(await readChanges(r, { stamp, id: null }, watermark, 100), later, "the changes after a stamp");
    }
  },

  "ends at the highest requested stamp and at the limit": async ({ storage, r }) => {
    const { watermark, all } = await severalTransactions(storage);
    for (const stamp of new Set(pluck(all, "stamp"))) {
      for (const upTo of [stamp - 1, stamp]) {
        const earlier = all.filter((each) => each.stamp <= upTo);
        equal(await readChanges(r, beforeAllChanges, upTo, 100), earlier, "the changes up to a stamp");
      }
    }
    for (const limit of [0, 1, 2, 6, 49, 50, 51]) {
      const first = await readChanges(r, beforeAllChanges, watermark, limit);
      equal(first, all.slice(0, limit), `the first ${limit} changes`);
    }
  },

  "reads pages of changes without gaps or duplicates during concurrent writes": async ({ storage, r }) => {
    const { created, watermark } = await severalTransactions(storage);
    for (const limit of [1, 3, 7, 50]) {
      const reading = changesUpTo(r, watermark, beforeAllChanges, limit);
      const write = () => storage.transaction((inside) => inside.objects.insert(files(2)));
      equal(idsOf(await repeatWhilePending(reading, write, 100)), created, `the IDs in pages of ${limit}`);
    }
  },

  "reads only changes of the given classes, several in one order": async ({ storage, r }) => {
    const classes = ["File", "Image", "User"];
    const batches = [["File", "User"], ["Image", "File", "File"], ["User"], ["Image", "User", "File"]];
    const created = await sequentially(batches, (names) =>
      storage.transaction((inside) => inside.objects.insert(names.map((className) => ({ className, attributes: {} })))),
    );
    const [file, image] = created.flat().filter(({ className }) => className !== "User");
    await deleteObjects(storage, idsOf([file, image].flatMap((each) => each ?? [])));
    const last = await createObject(r);
    const watermark = await watermarkBehind(r, [last.id]);
    const all = await changesUpTo(r, watermark);
    equal(idsOf(all).toSorted(), idsOf([...created.flat(), last]).toSorted(), "the IDs of all changes");
    for (const asked of [["File"], ["Image"], ["User", "File"], ["Image", "User", "Image"], classes, ["file"], []]) {
      const expected = all.filter(({ className }) => asked.includes(className));
      for (const limit of [1, 2, 100])
        equal(await changesUpTo(r, watermark, beforeAllChanges, limit, asked), expected, `the changes of ${asked}`);
    }
    const unknown = ["Unknown", ...hostileTexts];
    equal(await changesUpTo(r, watermark, beforeAllChanges, 10, unknown), [], "the changes of unknown classes");
  },

  "hides the changes of a transaction from itself": async ({ storage, r }) => {
    const created = await storage.transaction(async (inside) => {
      const objects = await inside.objects.insert(files(2));
      const seen = await changesUpTo(inside, await inside.objects.watermark());
      equal(seen, [], "the changes seen by the transaction");
      return objects;
    });
    const changes = await changesUpTo(r, await watermarkBehind(r, idsOf(created)));
    equal(idsOf(changes), idsOf(created), "the IDs of the changed objects");
  },

  "reports no readers of before if the transaction of a creation changes them": async ({ storage, r }) => {
    const { id } = await storage.transaction(async (inside) => {
      const created = await createObject(inside, { readers: ["A1"] });
      return update(inside, created.id, {}, { readers: ["B2"] });
    });
    const rows = async () => rowsOf((await changesSince(r, 0)).changes, "kind", "readers", "readersBefore");
    equal((await rows())[0], ["stored", ["B2"], []], "the change");
    await update(r, id, { Name: "new" });
    const changes = (await rows()).filter(([, readers]) => readers !== null);
    equal(changes, [["stored", ["B2"], ["B2"]]], "the changes after an update");
  },

  "reports no change for a refused call": async ({ r }) => {
    const first = await createObject(r);
    await failsWith(
      307,
      () => r.objects.insert([...files(2), { className: "File", attributes: {}, uuid: first.uuid }]),
      "inserting a duplicate UUID",
    );
    const { last, changes } = await changesSince(r, beforeAllChanges.stamp);
    equal(idsOf(changes), [first.id, last.id], "the IDs of the changed objects");
  },
});
