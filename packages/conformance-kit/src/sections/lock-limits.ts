import type { Digest, Repositories } from "@sallyport/core";
import { equal } from "../assert/index.ts";
import { type Check, checksOf } from "../check.ts";
import { atOnce, occurrences } from "../fixtures/at-once.ts";
import { createObject, idsOf, takeAway } from "../fixtures/objects.ts";
import { generous, hour } from "../fixtures/policy.ts";
import { Visitor } from "../fixtures/visitor.ts";

async function files(r: Repositories, count: number): Promise<string[]> {
  const created = await r.objects.insert(Array.from({ length: count }, () => ({ className: "File", attributes: {} })));
  return idsOf(created);
}

/** Takes many locks at once; how many of them were taken and how many were refused. */
async function takeAll(
  ids: readonly string[],
  session: Digest,
  atMost: number,
  storageOf: (index: number) => Repositories,
): Promise<[number, number]> {
  const outcomes = await atOnce(ids.length, (index) => storageOf(index).locks.take(ids[index] ?? "", session, atMost));
  return [occurrences("taken", outcomes), occurrences("full", outcomes)];
}

export const lockLimitChecks: readonly Check[] = [
  ...checksOf("locks", {
    "are as many for a session as it may have": async ({ r }) => {
      const visitor = await Visitor.create(r);
      const [mine, theirs] = [await visitor.open(r), await visitor.open(r)];
      const [first = "", second = "", third = "", fourth = ""] = await files(r, 4);
      const take = (id: string, session = mine, atMost = 2) => r.locks.take(id, session, atMost);
      equal(
        [await take(first), await take(second), await take(third)],
        ["taken", "taken", "full"],
        "taking three where two are allowed",
      );
      equal(await r.locks.state(third), null, "the lock that was refused");
      equal([await take(first), await take(second)], ["taken", "taken"], "taking what it has again");
      equal(
        [await take(third, theirs), await take(fourth, theirs), await take(first, theirs)],
        ["taken", "taken", "held"],
        "taking locks by another session, and what is another's",
      );
      equal(
        [await take(third), await take("ZZZZZZZZZZ")],
        ["held", "gone"],
        "taking what is another's, and what is not there",
      );
      await r.locks.release(first, mine);
      await r.locks.release(fourth, null);
      equal([await take(fourth), await take(first)], ["taken", "full"], "taking others after one was released");
      const [more, any, unasked] = [first, (await createObject(r)).id, (await createObject(r)).id];
      equal(
        [await take(more, mine, 3), await take(any, mine, 0), await r.locks.take(unasked, mine)],
        ["taken", "taken", "taken"],
        "taking more where more are allowed",
      );
    },

    "of sessions that are over and objects that are gone are not among those that a session has": async ({
      storage,
      r,
      advance,
    }) => {
      const visitor = await Visitor.create(r);
      const [first = "", second = "", third = ""] = await files(r, 3);
      const both = async (one: string, other: string, session: Digest) => [
        await r.locks.take(one, session, 1),
        await r.locks.take(other, session, 1),
      ];
      const before = await visitor.open(r, { deviceId: "phone" });
      equal(await both(first, second, before), ["taken", "full"], "taking two where one is allowed");
      const mine = await visitor.open(r, { deviceId: "phone" }, { ...generous, perDevice: 1 });
      equal(await both(first, second, mine), ["taken", "full"], "taking two with the next session of the device");
      await takeAway(storage, [first], true);
      equal(await both(second, third, mine), ["taken", "full"], "taking others when the object is gone");
      advance(hour);
      equal(
        await both(second, third, await visitor.open(r)),
        ["taken", "full"],
        "taking what an expired session has left",
      );
    },

    "of a session that is over are not among its own": async ({ r, advance }) => {
      const session = await (await Visitor.create(r)).open(r);
      const [first = "", second = ""] = await files(r, 2);
      await r.locks.take(first, session, 1);
      advance(hour);
      equal(await r.locks.take(second, session, 1), "taken", "taking another, where one is allowed");
    },

    "are no more than a session may have, however many it takes at once": async ({ r }) => {
      const visitor = await Visitor.create(r);
      for (let round = 0; round < 4; round += 1) {
        const session = await visitor.open(r);
        equal(
          await takeAll(await files(r, 12), session, 5, () => r),
          [5, 7],
          "how many were taken and how many refused",
        );
      }
    },
  }),
  ...checksOf(
    "locks",
    {
      "are no more than a session may have, however many it takes at once, by several processes": async ({
        r,
        another,
      }) => {
        const other = (await another()).repositories;
        const session = await (await Visitor.create(r)).open(r);
        equal(
          await takeAll(await files(r, 12), session, 5, (index) => (index % 2 === 0 ? r : other)),
          [5, 7],
          "how many were taken and how many refused",
        );
      },
    },
    { needs: "severalProcesses" },
  ),
];
