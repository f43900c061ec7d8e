import type { Repositories, StoredObject } from "@sallyport/storage";
import { equal } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { changeOf, changesUpTo, watermarkBehind } from "../../fixtures/changes-up-to.ts";
import { createObject } from "../../fixtures/objects.ts";
import { pluck } from "../../fixtures/lists.ts";
import { StateFixture } from "../../fixtures/state-fixture.ts";
import { rolledBack, rollBackNested } from "../../fixtures/rolled-back.ts";
import { whileOpen } from "../../fixtures/concurrently.ts";

function file(r: Repositories, name: string): Promise<StoredObject> {
  return createObject(r, { attributes: { Name: name } });
}

export const savepointVisibilityChecks: readonly Check[] = checksOf("nested transactions", {
  "hides the writes of a nested transaction from others until the outer commit": async (subject) => {
    const { storage, r } = subject;
    const fixture = await StateFixture.set(subject);
    const before = await fixture.look(r);
    const seen = await whileOpen(
      storage,
      (inside, attempt) => attempt(() => fixture.change(inside)),
      () => fixture.look(r),
      { end: "rolled back" },
    );
    equal(seen, before, "the state seen by others");
  },

  "reports the changes of committed nested transactions once": async ({ storage, r }) => {
    const old = await file(r, "old");
    const reported: string[] = [old.id];
    let after = await watermarkBehind(r, reported);
    for (const order of ["rolled back first", "committed first"]) {
      const kept = await storage.transaction(async (inside, attempt) => {
        const ids: string[] = [];
        const keep = async () => void ids.push((await attempt(() => file(inside, order))).id);
        if (order === "committed first") await keep();
        await rollBackNested(attempt, async () => {
          await file(inside, "never");
          await inside.objects.update([changeOf(old.id, { Name: "never" })], { session: null });
        });
        if (order === "rolled back first") await keep();
        return ids;
      });
      // Later changes get later stamps, regardless of the outcome of the nested transactions.
      const { id: next } = await file(r, "next");
      const upTo = await watermarkBehind(r, [...reported, ...kept, next]);
      const changes = await changesUpTo(r, upTo, { stamp: after, id: null });
      equal(pluck(changes, "id"), [...kept, next], `the changes with one nested transaction ${order}`);
      equal(new Set(pluck(changes, "stamp")).size, 2, "number of different stamps");
      reported.push(...kept, next);
      after = upTo;
    }
  },

  "never reuses the ID of a rolled-back object": async ({ storage, r }) => {
    const ids: string[] = [];
    const note = async (creating: Promise<StoredObject>) => void ids.push((await creating).id);
    for (let round = 0; round < 3; round += 1) {
      await storage.transaction(async (inside, attempt) => {
        await rollBackNested(attempt, () => note(file(inside, "never")));
        await attempt(() => note(file(inside, "kept")));
      });
      await rolledBack(storage, async (inside, attempt) => {
        await note(file(inside, "never"));
        await attempt(() => note(file(inside, "never")));
      });
      await note(file(r, "kept"));
    }
    equal([ids.length, new Set(ids).size], [15, 15], "numbers of created objects and of different IDs");
  },
});
