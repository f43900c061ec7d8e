import { beforeAllChanges, type Storage } from "@sallyport/core";
import { equal, failsWith, holds } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { changesUpTo, watermarkBehind } from "../../fixtures/changes-up-to.ts";
import { meanwhile, oneByOne } from "../../fixtures/concurrently.ts";
import { pluck, rowsOf } from "../../fixtures/lists.ts";
import { createObject, createInOneCall, files, idsOf, changesSince, update } from "../../fixtures/objects.ts";

/** Creates objects in several transactions. Returns their ids, the watermark and the changes. */
async function severalTransactions(storage: Storage) {
  const insert = (count: number) => storage.transaction((inside) => inside.objects.insert(files(count)));
  const created = idsOf((await oneByOne([1, 5, 1, 40, 3], insert)).flat());
  const watermark = await watermarkBehind(storage.repositories, created);
  return { created, watermark, all: await changesUpTo(storage.repositories, watermark) };
}

export const changeReadingChecks: readonly Check[] = checksOf("changes", {
  "tell nothing of a new database": async ({ r }) => {
    const watermark = await r.changes.watermark();
    holds(Number.isSafeInteger(watermark) && watermark >= 0, `The watermark ${watermark} is a whole number`);
    equal(await r.changes.read(beforeAllChanges, watermark, 10), [], "the changes");
  },

  "tell of every object that was stored, whoever may see it": async ({ r }) => {
    const restricted = { className: "Image", attributes: {}, readers: [] };
    let before = await r.changes.watermark();
    for (const objects of [files(2), [{ className: "User", attributes: { Name: "new" } }, restricted], [restricted]]) {
      const created = [...(await r.objects.insert(objects)), ...(await r.objects.insert(files(1)))];
      const watermark = await watermarkBehind(r, idsOf(created.slice(-1)));
      const told = await changesUpTo(r, watermark, { stamp: before, id: null });
      const expected = created.map(({ id, uuid, className, version }) => [id, uuid, className, version, "stored"]);
      equal(rowsOf(told, "id", "uuid", "className", "version", "kind"), expected, "what is told");
      holds(
        told.every(({ stamp }) => Number.isSafeInteger(stamp) && stamp > before),
        `The stamps are whole numbers above ${before}`,
      );
      before = watermark;
    }
    equal((await changesUpTo(r, before)).length, 8, "how many changes there are in all");
  },

  "move up when an object is changed, and tell of it once, with its version": async ({ r }) => {
    const [first, second, third] = await createInOneCall(r, {}, {}, {});
    const reached = await watermarkBehind(r, idsOf([first, second, third]));
    for (const name of ["new", "newer"]) await update(r, second.id, { Name: name });
    await update(r, first.id, {});
    const { last, watermark, told } = await changesSince(r, reached);
    equal(
      rowsOf(told, "id", "version"),
      [
        [second.id, 3],
        [first.id, 2],
        [last.id, 1],
      ],
      "what is told of the changes",
    );
    equal(await changesUpTo(r, watermark), [...(await changesUpTo(r, reached)), ...told], "what is told in all");
    equal(idsOf(await changesUpTo(r, reached)), [third.id], "what is left of what was told before");
  },

  "move up when only the readers of an object change": async ({ r }) => {
    const [first, second] = await createInOneCall(r, {}, {});
    const reached = await watermarkBehind(r, idsOf([first, second]));
    for (const readers of [["A1"], [], null]) await update(r, first.id, {}, { readers });
    const { last, told } = await changesSince(r, reached);
    equal(
      rowsOf(told, "id", "version", "kind"),
      [
        [first.id, 4, "stored"],
        [last.id, 1, "stored"],
      ],
      "what is told of the changes",
    );
  },

  "begin behind the place given, within a stamp and after it": async ({ storage, r }) => {
    const { watermark, all } = await severalTransactions(storage);
    for (const [index, { stamp, id }] of all.entries()) {
      const behind = await r.changes.read({ stamp, id }, watermark, 100);
      equal(behind, all.slice(index + 1), `the changes behind the ${index + 1}th`);
    }
    for (const stamp of new Set(pluck(all, "stamp"))) {
      const later = all.filter((each) => each.stamp > stamp);
      equal(await r.changes.read({ stamp, id: null }, watermark, 100), later, "the changes behind a stamp");
    }
  },

  "end with the highest stamp asked for, and with the limit": async ({ storage, r }) => {
    const { watermark, all } = await severalTransactions(storage);
    for (const stamp of new Set(pluck(all, "stamp"))) {
      for (const upTo of [stamp - 1, stamp]) {
        const earlier = all.filter((each) => each.stamp <= upTo);
        equal(await r.changes.read(beforeAllChanges, upTo, 100), earlier, "the changes up to a stamp");
      }
    }
    for (const limit of [0, 1, 2, 6, 49, 50, 51]) {
      const first = await r.changes.read(beforeAllChanges, watermark, limit);
      equal(first, all.slice(0, limit), `the first ${limit} changes`);
    }
  },

  "are read in pages that fit together without gap or repetition while others write": async ({ storage, r }) => {
    const { created, watermark } = await severalTransactions(storage);
    for (const limit of [1, 3, 7, 50]) {
      const reading = changesUpTo(r, watermark, beforeAllChanges, limit);
      const write = () => storage.transaction((inside) => inside.objects.insert(files(2)));
      equal(idsOf(await meanwhile(reading, write, 100)), created, `the ids in pages of ${limit}`);
    }
  },

  "are not told to the transaction that makes them": async ({ storage, r }) => {
    const created = await storage.transaction(async (inside) => {
      const objects = await inside.objects.insert(files(2));
      const seen = await changesUpTo(inside, await inside.changes.watermark());
      equal(seen, [], "the changes as the transaction sees them");
      return objects;
    });
    const told = await changesUpTo(r, await watermarkBehind(r, idsOf(created)));
    equal(idsOf(told), idsOf(created), "the ids of what has changed");
  },

  "are none of a call that is refused": async ({ r }) => {
    const first = await createObject(r);
    await failsWith(
      307,
      () => r.objects.insert([...files(2), { className: "File", attributes: {}, uuid: first.uuid }]),
      "inserting a UUID again",
    );
    const { last, told } = await changesSince(r, beforeAllChanges.stamp);
    equal(idsOf(told), [first.id, last.id], "the ids of what has changed");
  },
});
