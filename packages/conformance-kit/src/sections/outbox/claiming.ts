import { type OutboxEntry } from "@sallyport/core";
import { equal, equalInAnyOrder, holds } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { atOnce } from "../../fixtures/at-once.ts";
import { codeOf } from "../../fixtures/code-of.ts";
import { occurrences } from "../../fixtures/occurrences.ts";
import { claimedOrder, ordersOf, putOrders } from "../../fixtures/outbox-orders.ts";
import { hour, minute, second } from "../../fixtures/policy.ts";
import { whileOpen } from "../../fixtures/while-open.ts";

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `order ${index}`);

const attemptsOf = (entries: readonly OutboxEntry[]) => entries.map(({ attempts }) => attempts);

export const outboxClaimingChecks: readonly Check[] = [
  ...checksOf("outbox", {
    "gives out what was put in first first, as many as are asked for": async ({ r }) => {
      await putOrders(r, ...numbered(5));
      equal(ordersOf(await r.outbox.claim(2, minute)), ["order 0", "order 1"], "the first two");
      const rest = await r.outbox.claim(10, minute);
      equal(ordersOf(rest), ["order 2", "order 3", "order 4"], "the others");
      holds(
        rest.every(({ id }, index) => index === 0 || id > (rest[index - 1]?.id ?? 0)),
        "Ids rise",
      );
      for (const { id, attempts } of rest.toReversed()) await r.outbox.postpone(id, attempts, 0, "order");
      equal(
        ordersOf(await r.outbox.claim(10, minute)),
        ["order 2", "order 3", "order 4"],
        "the same when they are due again, the last of them first",
      );
    },

    "gives a claimed order to nobody else before its lease is over": async ({ r, advance }) => {
      await putOrders(r, "order");
      const [first] = await r.outbox.claim(1, minute);
      equal([first?.sealedOrder, first?.attempts], ["order", 1], "the order, and how often it was claimed");
      advance(minute - 5 * second);
      equal(await r.outbox.claim(1, minute), [], "what is given out before the lease is over");
      advance(10 * second);
      const [later] = await r.outbox.claim(1, minute);
      equal(
        [later?.id, later?.sealedOrder, later?.attempts],
        [first?.id, "order", 2],
        "what is given out when it is over",
      );
    },

    "gives each order to one of those who claim at once": async ({ r }) => {
      await putOrders(r, ...numbered(20));
      const claims: OutboxEntry[] = [];
      for (let round = 0; round < 10 && claims.length < 20; round += 1)
        claims.push(...(await atOnce(6, () => r.outbox.claim(3, minute))).flat());
      equalInAnyOrder(ordersOf(claims), numbered(20), "what was given out");
      equal([...new Set(attemptsOf(claims))], [1], "how often each was claimed");
    },

    "lets nobody finish an order who has lost it": async ({ r, advance }) => {
      const { id, attempts } = await claimedOrder(r);
      advance(2 * minute);
      const [again] = await r.outbox.claim(1, minute);
      equal(again?.id, id, "the order that is claimed again");
      const late = [
        await r.outbox.done(id, attempts),
        await r.outbox.replace(id, attempts, "other"),
        await r.outbox.postpone(id, attempts, 0, "transport"),
      ];
      equal(late, [false, false, false], "what comes of the first claim");
      equal(
        [await r.outbox.claim(1, minute), (await r.outbox.waiting()).stuck],
        [[], 0],
        "what can be claimed, and how long it is stuck",
      );
      equal(await r.outbox.replace(id, 2, "other"), true, "whether whoever has it may replace it");
      equal(await r.outbox.done(id, 2), true, "whether whoever has it may finish it");
      equal(
        [
          await r.outbox.done(id, 2),
          await r.outbox.postpone(id, 2, 0, "order"),
          await r.outbox.replace(id, 2, "other"),
        ],
        [false, false, false],
        "what is gone",
      );
    },

    "lets whoever was late finish an order that nobody has claimed since": async ({ r, advance }) => {
      const { id, attempts } = await claimedOrder(r);
      advance(10 * minute);
      equal(
        [await r.outbox.done(id, attempts), (await r.outbox.waiting()).count],
        [true, 0],
        "being done with it, and how many wait",
      );
    },

    "makes an order due again when its delay is over, and others at their time": async ({ r, advance }) => {
      await putOrders(r, "one", "two");
      const [one, two] = await r.outbox.claim(2, minute);
      equal(await r.outbox.postpone(one?.id ?? 0, 1, 30 * minute, "order"), true, "postponing the first");
      equal(await r.outbox.postpone(two?.id ?? 0, 1, 10 * second, "transport"), true, "postponing the second");
      equal(await r.outbox.claim(10, minute), [], "what is due at once");
      advance(11 * second);
      equal(ordersOf(await r.outbox.claim(10, hour)), ["two"], "what is due after ten seconds");
      advance(30 * minute);
      const [due, ...others] = await r.outbox.claim(10, minute);
      equal([due?.sealedOrder, due?.attempts, others], ["one", 2, []], "what is due after half an hour");
    },

    "tells for how long the transport has kept an order, until something else does or it is done with": async ({
      r,
      advance,
    }) => {
      await putOrders(r, "one", "two");
      const stuckMinutes = async () => Math.floor((await r.outbox.waiting()).stuck / minute);
      let [one, two] = (await r.outbox.claim(2, minute)) as [OutboxEntry, OutboxEntry];
      await r.outbox.postpone(one.id, one.attempts, 0, "transport");
      advance(3 * minute);
      await r.outbox.postpone(two.id, two.attempts, 0, "transport");
      advance(2 * minute);
      equal(await stuckMinutes(), 5, "the time of the first");
      [one, two] = (await r.outbox.claim(2, minute)) as [OutboxEntry, OutboxEntry];
      equal(await stuckMinutes(), 5, "the time while they are claimed again");
      await r.outbox.postpone(one.id, one.attempts, 0, "transport");
      await r.outbox.postpone(two.id, two.attempts, 0, "order");
      equal(await stuckMinutes(), 5, "the time when it is kept again");
      const [again] = (await r.outbox.claim(1, minute)) as [OutboxEntry];
      await r.outbox.done(again.id, again.attempts);
      equal([again.id, (await r.outbox.waiting()).stuck], [one.id, 0], "the one that was done with, and the time then");
    },

    "puts another order in the place of a claimed one, whose claim goes on": async ({ r, advance }) => {
      const { id, attempts } = await claimedOrder(r, "first");
      equal(
        [await r.outbox.replace(id, attempts, "second"), await r.outbox.replace(id, attempts, "second")],
        [true, true],
        "replacing it, twice",
      );
      equal(await r.outbox.claim(1, minute), [], "what can be claimed");
      advance(2 * minute);
      const [again] = await r.outbox.claim(1, minute);
      equal(
        [again?.id, again?.sealedOrder, again?.attempts],
        [id, "second", 2],
        "what is given out when the lease is over",
      );
    },

    "gives out an order again whose claim was taken back": async ({ storage, r }) => {
      await putOrders(r, "order");
      const failed = storage.transaction(async (inside) => {
        await inside.outbox.claim(1, hour);
        throw new Error("failed");
      });
      await failed.catch(() => {});
      equal(attemptsOf(await r.outbox.claim(1, minute)), [1], "how often it was claimed");
    },
  }),

  ...checksOf(
    "outbox",
    {
      "does not wait for others who claim": async ({ storage, r }) => {
        await putOrders(r, "one", "two");
        const seen = await whileOpen(
          storage,
          (inside) => inside.outbox.claim(1, minute),
          () => r.outbox.claim(10, minute),
          { turns: 20_000 },
        );
        equal(ordersOf(seen), ["two"], "what is given out while another one claims");
      },
    },
    { needs: "parallelTransactions" },
  ),

  ...checksOf(
    "outbox",
    {
      "of several processes is one": async ({ r, another }) => {
        const other = (await another()).repositories;
        const of = (index: number) => (index % 2 === 0 ? r : other).outbox;
        const codes = await atOnce(12, (index) =>
          codeOf(of(index).put(`order ${index}`, { lifetime: hour, limit: 7 })),
        );
        equal([occurrences(0, codes), occurrences(706, codes)], [7, 5], "how many were taken and how many refused");
        const claims: OutboxEntry[] = [];
        for (let round = 0; round < 7 && claims.length < 7; round += 1)
          claims.push(...(await atOnce(4, (index) => of(index).claim(2, minute))).flat());
        equal(
          [claims.length, new Set(claims.map(({ id }) => id)).size],
          [7, 7],
          "how many were given out, and how many different ones",
        );
        const [first] = claims as [OutboxEntry];
        const outcomes = await atOnce(6, (index) => of(index).done(first.id, first.attempts));
        equal(occurrences(true, outcomes), 1, "how many were done with the first");
        equal((await other.outbox.waiting()).count, 6, "how many wait");
      },
    },
    { needs: "severalProcesses" },
  ),

  ...checksOf(
    "outbox",
    {
      "still holds what was put in when the database is opened again": async ({ storage, r, reopen }) => {
        const { id } = await claimedOrder(r, "claimed");
        await putOrders(r, "put in");
        await storage.close();
        const { outbox } = (await reopen()).repositories;
        equal((await outbox.waiting()).count, 2, "how many wait");
        equal(ordersOf(await outbox.claim(10, minute)), ["put in"], "what is given out");
        equal(await outbox.done(id, 1), true, "whether the claim still holds");
      },
    },
    { needs: "durable" },
  ),
];
