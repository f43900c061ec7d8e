import { equal, failsWith, holds } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { atOnce } from "../../fixtures/at-once.ts";
import { codeOf } from "../../fixtures/code-of.ts";
import { hostileTexts, unstorableTexts } from "../../fixtures/hostile-texts.ts";
import { occurrences } from "../../fixtures/occurrences.ts";
import { claimedOrder, ordersOf, putOrders } from "../../fixtures/outbox-orders.ts";
import { hour, minute, second } from "../../fixtures/policy.ts";
import { whileOpen } from "../../fixtures/while-open.ts";

export const outboxKeepingChecks: readonly Check[] = checksOf("outbox", {
  "holds an order until it is done with": async ({ r }) => {
    equal(await r.outbox.waiting(), { count: 0, oldest: 0, stuck: 0 }, "what waits at first");
    const { id, attempts } = await claimedOrder(r);
    equal((await r.outbox.waiting()).count, 1, "how many wait while it is claimed");
    equal(
      [await r.outbox.done(id, attempts), await r.outbox.done(id, attempts)],
      [true, false],
      "being done with it, twice",
    );
    equal(
      [await r.outbox.waiting(), await r.outbox.sweep(10)],
      [{ count: 0, oldest: 0, stuck: 0 }, 0],
      "what waits, and what is swept afterwards",
    );
  },

  "keeps hostile texts as they are": async ({ r }) => {
    await putOrders(r, ...hostileTexts);
    equal(ordersOf(await r.outbox.claim(100, hour)), [...hostileTexts], "the orders");
  },

  "refuses texts that cannot be stored with 307": async ({ r }) => {
    const { id, attempts } = await claimedOrder(r);
    for (const text of unstorableTexts) {
      await failsWith(
        307,
        () => r.outbox.put(text, { lifetime: hour, limit: 10 }),
        `putting in ${JSON.stringify(text)}`,
      );
      await failsWith(307, () => r.outbox.replace(id, attempts, text), `putting ${JSON.stringify(text)} in its place`);
    }
    equal((await r.outbox.waiting()).count, 1, "how many wait");
  },

  "counts what waits, and for how long the longest has": async ({ r, advance }) => {
    await putOrders(r, "first");
    advance(10 * minute);
    await putOrders(r, "second");
    advance(5 * minute);
    const { count, oldest, stuck } = await r.outbox.waiting();
    equal([count, stuck], [2, 0], "how many wait, and the time of those that are stuck");
    holds(15 * minute <= oldest && oldest < 16 * minute, `The longest has waited for ${oldest} milliseconds`);
    const ages = (await r.outbox.claim(10, hour)).map(({ age }) => Math.floor(age / minute));
    equal(ages, [15, 5], "the ages when they are claimed, in minutes");
  },

  "neither gives out nor counts what is worth nothing any more, and forgets it when it is swept": async ({
    r,
    advance,
  }) => {
    for (let index = 0; index < 5; index += 1) await r.outbox.put(`short ${index}`, { lifetime: minute, limit: 10 });
    await r.outbox.put("long", { lifetime: hour, limit: 10 });
    equal(await r.outbox.sweep(10), 0, "how many are swept while all are worth something");
    advance(minute + second);
    equal((await r.outbox.waiting()).count, 1, "how many wait");
    equal(ordersOf(await r.outbox.claim(10, second)), ["long"], "what is given out");
    equal(
      [await r.outbox.sweep(3), await r.outbox.sweep(3), await r.outbox.sweep(3)],
      [3, 2, 0],
      "how many are swept, three at most",
    );
    equal((await r.outbox.waiting()).count, 1, "how many wait afterwards");
  },

  "takes no more than may wait, those that are worth nothing not counted": async ({ r, advance }) => {
    const put = (lifetime: number) => codeOf(r.outbox.put("order", { lifetime, limit: 2 }));
    equal([await put(minute), await put(hour), await put(hour)], [0, 0, 706], "the third where two may wait");
    advance(minute + second);
    equal([await put(hour), await put(hour)], [0, 706], "when one is over");
    const [entry] = await r.outbox.claim(1, minute);
    equal(await put(hour), 706, "while one is claimed");
    await r.outbox.done(entry?.id ?? 0, entry?.attempts ?? 0);
    equal([await put(hour), await put(hour)], [0, 706], "when one is done with");
  },

  "takes no more than may wait of those that come at once": async ({ r }) => {
    const codes = await atOnce(12, (index) => codeOf(r.outbox.put(`order ${index}`, { lifetime: hour, limit: 5 })));
    equal([occurrences(0, codes), occurrences(706, codes)], [5, 7], "how many were taken and how many refused");
    equal((await r.outbox.waiting()).count, 5, "how many wait");
  },

  "is changed by transactions as a whole, or not at all": async ({ storage, r }) => {
    const failed = storage.transaction(async (inside) => {
      await putOrders(inside, "order");
      equal((await inside.outbox.waiting()).count, 1, "how many wait inside");
      throw new Error("failed");
    });
    await failed.catch(() => {});
    equal(
      [(await r.outbox.waiting()).count, ordersOf(await r.outbox.claim(1, minute))],
      [0, []],
      "what waits when it has failed",
    );
    await storage.transaction(async (inside) => {
      const { id, attempts } = await claimedOrder(inside, "one");
      await inside.outbox.done(id, attempts);
      await putOrders(inside, "two");
    });
    equal(ordersOf(await r.outbox.claim(10, minute)), ["two"], "what waits when it was kept");
  },

  "takes no more than may wait when one was put in meanwhile": async ({ storage, r }) => {
    const options = { lifetime: hour, limit: 1 };
    for (const [end, expected] of [
      ["taken back", 0],
      ["kept", 706],
    ] as const) {
      const meanwhile = () => codeOf(r.outbox.put("meanwhile", options));
      const code = await whileOpen(storage, (inside) => inside.outbox.put("open", options), meanwhile, {
        end,
        turns: 50,
      });
      equal(code, expected, `whoever came meanwhile, when it is ${end}`);
      for (const { id, attempts } of await r.outbox.claim(10, minute)) await r.outbox.done(id, attempts);
    }
  },
});
