import { beforeAllChanges, type StoredObject } from "@sallyport/core";
import { equal, failsWith, holds } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { changeOf, changesUpTo, watermarkBehind } from "../../fixtures/changes-up-to.ts";
import { files, idsOf } from "../../fixtures/objects.ts";
import type { Subject } from "../../subject.ts";

/** Objects of several transactions, many of some, and the watermark behind all of them. */
async function severalTransactions({ storage, r }: Subject): Promise<{ created: StoredObject[]; watermark: number }> {
  const created: StoredObject[] = [];
  for (const count of [1, 5, 1, 40, 3])
    created.push(...(await storage.transaction((inside) => inside.objects.insert(files(count)))));
  return { created, watermark: await watermarkBehind(r, idsOf(created)) };
}

export const changeTellingChecks: readonly Check[] = checksOf("changes", {
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
      const expected = created.map(({ id, uuid, className, version }) => ({
        id,
        uuid,
        className,
        version,
        kind: "stored",
      }));
      equal(
        told.map(({ id, uuid, className, version, kind }) => ({ id, uuid, className, version, kind })),
        expected,
        "what is told",
      );
      holds(
        told.every(({ stamp }) => Number.isSafeInteger(stamp) && stamp > before),
        `The stamps are whole numbers above ${before}`,
      );
      before = watermark;
    }
    equal((await changesUpTo(r, before)).length, 8, "how many changes there are in all");
  },

  "move up when an object is changed, and tell of it once, with its version": async ({ r }) => {
    const [first, second, third] = (await r.objects.insert(files(3))) as [StoredObject, StoredObject, StoredObject];
    const reached = await watermarkBehind(r, idsOf([first, second, third]));
    for (const name of ["new", "newer"])
      await r.objects.update([changeOf(second.id, { Name: name })], { session: null });
    await r.objects.update([changeOf(first.id, {})], { session: null });
    const [last] = (await r.objects.insert(files(1))) as [StoredObject];
    const watermark = await watermarkBehind(r, [last.id]);
    const told = await changesUpTo(r, watermark, { stamp: reached, id: null });
    equal(
      told.map(({ id, version }) => [id, version]),
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
    const [first, second] = (await r.objects.insert(files(2))) as [StoredObject, StoredObject];
    const reached = await watermarkBehind(r, idsOf([first, second]));
    for (const readers of [["A1"], [], null])
      await r.objects.update([changeOf(first.id, {}, { readers })], { session: null });
    const [last] = (await r.objects.insert(files(1))) as [StoredObject];
    const told = await changesUpTo(r, await watermarkBehind(r, [last.id]), { stamp: reached, id: null });
    equal(
      told.map(({ id, version, kind }) => [id, version, kind]),
      [
        [first.id, 4, "stored"],
        [last.id, 1, "stored"],
      ],
      "what is told of the changes",
    );
  },

  "begin behind the place given, within a stamp and after it": async (subject) => {
    const { r } = subject;
    const { watermark } = await severalTransactions(subject);
    const all = await changesUpTo(r, watermark);
    for (const [index, { stamp, id }] of all.entries()) {
      equal(
        await r.changes.read({ stamp, id }, watermark, 100),
        all.slice(index + 1),
        `the changes behind the ${index + 1}th`,
      );
    }
    for (const stamp of new Set(all.map((each) => each.stamp))) {
      const later = all.filter((each) => each.stamp > stamp);
      equal(await r.changes.read({ stamp, id: null }, watermark, 100), later, "the changes behind a stamp");
    }
  },

  "end with the highest stamp asked for, and with the limit": async (subject) => {
    const { r } = subject;
    const { watermark } = await severalTransactions(subject);
    const all = await changesUpTo(r, watermark);
    for (const stamp of new Set(all.map((each) => each.stamp))) {
      for (const upTo of [stamp - 1, stamp]) {
        equal(
          await r.changes.read(beforeAllChanges, upTo, 100),
          all.filter((each) => each.stamp <= upTo),
          "the changes up to a stamp",
        );
      }
    }
    for (const limit of [0, 1, 2, 6, 49, 50, 51])
      equal(
        await r.changes.read(beforeAllChanges, watermark, limit),
        all.slice(0, limit),
        `the first ${limit} changes`,
      );
  },

  "are read in pages that fit together without gap or repetition while others write": async (subject) => {
    const { storage, r } = subject;
    const { created, watermark } = await severalTransactions(subject);
    for (const limit of [1, 3, 7, 50]) {
      const reader = { done: false };
      const reading = changesUpTo(r, watermark, beforeAllChanges, limit).finally(() => {
        reader.done = true;
      });
      const writing = (async () => {
        for (let round = 0; !reader.done && round < 100; round += 1)
          await storage.transaction((inside) => inside.objects.insert(files(2)));
      })();
      const [changes] = await Promise.all([reading, writing]);
      equal(idsOf(changes), idsOf(created), `the ids in pages of ${limit}`);
    }
  },

  "are not told to the transaction that makes them": async ({ storage, r }) => {
    const created = await storage.transaction(async (inside) => {
      const objects = await inside.objects.insert(files(2));
      equal(
        await changesUpTo(inside, await inside.changes.watermark()),
        [],
        "the changes as the transaction sees them",
      );
      return objects;
    });
    equal(
      idsOf(await changesUpTo(r, await watermarkBehind(r, idsOf(created)))),
      idsOf(created),
      "the ids of what has changed",
    );
  },

  "are none of a call that is refused": async ({ r }) => {
    const [first] = (await r.objects.insert(files(1))) as [StoredObject];
    await failsWith(
      307,
      () => r.objects.insert([...files(2), { className: "File", attributes: {}, uuid: first.uuid }]),
      "inserting a UUID again",
    );
    const [last] = (await r.objects.insert(files(1))) as [StoredObject];
    equal(
      idsOf(await changesUpTo(r, await watermarkBehind(r, [last.id]))),
      [first.id, last.id],
      "the ids of what has changed",
    );
  },
});
