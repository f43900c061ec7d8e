import type { RecordValue } from "@sallyport/core";
import { equal, equalInAnyOrder, failsWith, holds } from "../../assert/index.ts";
import type { Check } from "../../check.ts";
import { hostileTexts, unstorableTexts } from "../../fixtures/hostile-texts.ts";
import { pluck } from "../../fixtures/lists.ts";
import { idsOf } from "../../fixtures/objects.ts";
import { hour, minute, second } from "../../fixtures/policy.ts";
import { rolledBack, undone } from "../../fixtures/rolled-back.ts";
import { ageless, numbered, recordChecks, sample, samplesOf, sweep } from "./samples.ts";

/** Every JSON type except null, including falsy values. */
const values: readonly RecordValue[] = [
  "text",
  "",
  "null",
  "0",
  0,
  -1.5,
  1e21,
  Number.MAX_SAFE_INTEGER,
  false,
  true,
  [],
  [1, [null, "two"]],
  {},
  { deep: { list: [{ a: null }] }, empty: "", "": 0 },
  [...hostileTexts],
  "long ".repeat(20_000),
];

/** Texts that a lax collation would treat as equal. */
const alike: readonly string[] = ["a", "A", "a ", " a", "a\t", "\u00e4", "a\u0308", "\u00c4", "\u00e1", "ss", "\u00df"];

/** Texts with the maximum number of characters. */
const longest = (length: number) => ["u".repeat(length), "\u00e4".repeat(length), "\u{1f469}".repeat(length / 2)];

export const recordKeepingChecks: readonly Check[] = recordChecks("records", null, {
  "are not there before they are put": async ({ r }) => {
    for (const kind of [sample, "mail", "k".repeat(32)]) {
      const records = samplesOf(r, kind);
      equal(await records.get("record"), [], `what is got of ${kind}`);
      equal(await records.take("record"), null, `what is taken of ${kind}`);
      equal(await records.list(), [], `what is listed of ${kind}`);
      equal(await records.count(), { count: 0, oldest: 0 }, `what is counted of ${kind}`);
      equal(await records.claim(10), [], `what is claimed of ${kind}`);
      equal(await records.settle({ id: "record", version: 1 }, "done"), false, `what is settled of ${kind}`);
      for (const selector of [{ ids: ["record"] }, { owner: "user:1" }])
        equal(await records.remove(selector), [], `what is removed of ${kind}`);
    }
    equal(await sweep(r, 10), {}, "how many are swept");
  },

  "hold values of every shape": async ({ s }) => {
    for (const [index, value] of values.entries()) {
      const what = `value ${index}`;
      equal(await s.put(what, value), "stored", `putting ${what}`);
      equal(pluck(await s.get(what), "value"), [value], `${what}, got`);
      equal(pluck(await s.list(), "value"), [value], `${what}, listed`);
      const [claimed] = await s.claim(10);
      equal(claimed?.value, value, `${what}, claimed`);
      equal(await s.take(what), value, `${what}, taken`);
    }
  },

  "are put in the place of those before, with all that is said of them": async ({ s, advance }) => {
    await s.put("record", { first: 1 }, { owner: "user:1", lifetime: minute });
    equal(await s.put("record", ["second"]), "stored", "putting it again");
    const [again] = await s.get("record");
    equal([again?.value, again?.owner], [["second"], null], "the value and the owner");
    equal(await s.remove({ owner: "user:1" }), [], "what its first owner has");
    advance(hour);
    equal(await s.size(), 1, "how many there are after the first lifetime");
    await s.put("record", 3, { owner: "user:2", lifetime: minute });
    equal((await s.get("record"))[0]?.owner, "user:2", "the third owner");
    advance(minute + 1_000);
    equal(await s.size(), 0, "how many there are after the third lifetime");
  },

  "are got by any number of ids, each once": async ({ s }) => {
    const ids = numbered(300);
    await s.fill(...ids);
    equal(await s.get(), [], "those of no id");
    const found = await s.get(...ids, "missing", ...ids.slice(0, 10), ...unstorableTexts);
    equalInAnyOrder(idsOf(found), ids, "the ids");
    equal(pluck(found, "value"), idsOf(found), "the values, each its own");
  },

  "are of one kind": async ({ r }) => {
    const kinds = ["kind", "Kind", "kinds", "k".repeat(31), "k".repeat(32)];
    const of = (kind: string) => samplesOf(r, kind);
    for (const kind of kinds) await of(kind).put("record", kind, { owner: "user:1", lifetime: hour });
    for (const kind of kinds) equal([await of(kind).values(), await of(kind).size()], [[kind], 1], `those of ${kind}`);
    equal((await of("kind").claim(10)).length, 1, "how many of a kind are claimed");
    equal((await of("Kind").claim(10)).length, 1, "how many of another kind are claimed then");
    equal(await of("kinds").remove({ ids: ["record"] }), ["record"], "what is removed by its id");
    equal(await of("kind").remove({ owner: "user:1" }), ["record"], "what is removed by its owner");
    equal(await of("Kind").take("record"), "Kind", "what is taken");
    for (const [index, kind] of kinds.entries())
      equal((await of(kind).get("record")).length, index < 3 ? 0 : 1, `how many are left of ${kind}`);
  },

  "have ids that are told apart exactly": async ({ s }) => {
    const ids = [...alike, ...hostileTexts, ...longest(512)];
    for (const id of ids) equal(await s.put(id, id, { ifVersion: "none" }), "stored", "putting one");
    equalInAnyOrder(idsOf(await s.get(...ids)), ids, "what is got");
    for (const id of ids) equal(pluck(await s.get(id), "value"), [id], `that of ${JSON.stringify(id)}`);
    for (const [index, id] of ids.entries()) {
      equal(await s.take(id), id, `what is taken as ${JSON.stringify(id)}`);
      equal(await s.size(), ids.length - index - 1, `how many are left without ${JSON.stringify(id)}`);
    }
  },

  "have owners that are told apart exactly": async ({ s }) => {
    const owners = [...alike, ...hostileTexts, ...longest(200)];
    for (const [index, owner] of owners.entries()) await s.put(`record ${index}`, index, { owner });
    await s.put("without owner", "");
    for (const [index, owner] of owners.entries()) {
      const what = `of ${JSON.stringify(owner)}`;
      const listed = await s.list({ owner, limit: 100 });
      equal([idsOf(listed), pluck(listed, "owner")], [[`record ${index}`], [owner]], `those ${what}`);
      equal(await s.remove({ owner }), [`record ${index}`], `what is removed ${what}`);
    }
    equal(await s.ids({ limit: 100 }), ["without owner"], "what is left");
  },

  "are not put with a text that cannot be stored": async ({ s }) => {
    const quota = { ofOwner: 0, inAll: 0 };
    const within = { owner: "user:1", quota };
    const claimed = await s.claimNew("kept");
    for (const text of unstorableTexts) {
      const what = JSON.stringify(text);
      await failsWith(307, () => s.put(text, 1), `one with the id ${what}`);
      await failsWith(307, () => s.put("record", 1, { owner: text }), `one of the owner ${what}`);
      for (const value of [text, { text }, [[text]], { [text]: 1 }]) {
        await failsWith(307, () => s.put("record", value), `one that holds ${what}`);
        await failsWith(307, () => s.putWithin("record", value, within), `one within room that holds ${what}`);
        await failsWith(307, () => s.settle(claimed, { dueIn: 0, value }), `settling one that holds ${what}`);
      }
      await failsWith(307, () => s.putWithin(text, 1, within), `one as ${what}`);
      await failsWith(307, () => s.putWithin("record", 1, { owner: text, quota }), `one of ${what}`);
    }
    equal(await s.ids(), ["kept"], "what is kept");
    equal(await s.claim(10), [], "what is due");
  },

  "of ids and owners that cannot be stored are as good as absent": async ({ s }) => {
    await s.put("demo", "demo", { owner: "demo" });
    for (const text of unstorableTexts) {
      const what = JSON.stringify(text);
      equal(await s.get(text), [], `what is got as ${what}`);
      equal(await s.take(text), null, `what is taken as ${what}`);
      equal(await s.remove({ ids: [text] }), [], `what is removed as ${what}`);
      equal(await s.remove({ owner: text }), [], `what is removed of ${what}`);
      equal(await s.list({ owner: text }), [], `what is listed of ${what}`);
      equal(await s.settle({ id: text, version: 1 }, "done"), false, `what is settled as ${what}`);
    }
    equal(await s.remove({ ids: [...unstorableTexts, "demo"] }), ["demo"], "what is removed among them");
  },

  "tell by the storage's clock when they began, and keep it": async ({ storage, s, advance }) => {
    advance(3 * hour);
    const before = await storage.now();
    await s.fill("record");
    const after = await storage.now();
    const { createdAt } = await s.of("record");
    holds(before <= createdAt && createdAt <= after, `${createdAt} is between ${before} and ${after}`);
    advance(hour);
    await s.put("record", "other", { ifVersion: "any" });
    equal((await s.of("record")).createdAt, createdAt, "when it began, after another write");
    const claimed = await s.claimFirst();
    equal(claimed.createdAt, createdAt, "when it began, as it is claimed");
    await s.settle(claimed, { dueIn: 0, value: "third" });
    equal((await s.of("record")).createdAt, createdAt, "when it began, after it was settled");
    await s.take("record");
    await s.fill("record");
    const again = await s.of("record");
    holds(again.createdAt >= createdAt + hour, `${again.createdAt} is an hour after ${createdAt} at least`);
  },

  "are written by transactions as a whole, or not at all": async ({ storage, s }) => {
    await s.put("taken", 1, { owner: "user:1" });
    await s.put("removed", 2, { owner: "user:2" });
    await s.put("changed", 3);
    const before = (await s.list()).map(ageless);
    await rolledBack(storage, async (inside) => {
      const inner = samplesOf(inside);
      equal(await inner.take("taken"), 1, "what is taken");
      equal(await inner.remove({ owner: "user:2" }), ["removed"], "what is removed");
      equal(await inner.put("changed", 4), "stored", "what is changed");
      const quota = { ofOwner: 1, inAll: 0 };
      equal(await inner.putWithin("new", 5, { owner: "user:1", quota }), "stored", "what is new");
      equal(await inner.ids(), ["changed", "new"], "the ids that the transaction sees");
      equal(await inner.values(), [4, 5], "the values that it sees");
      equal(await inner.size(), 2, "how many it counts");
      equal(await inner.get("taken"), [], "what it gets of what it has taken");
    });
    equal((await s.list()).map(ageless), before, "what is there afterwards");
    await storage.transaction(async (inside) => {
      await samplesOf(inside).take("taken");
      await samplesOf(inside).fill("new");
    });
    equal(await s.ids(), ["changed", "new", "removed"], "what is kept");
  },

  "are undone with the part of a transaction that wrote them": async ({ storage, s }) => {
    await s.fill("taken");
    await storage.transaction(async (inside, attempt) => {
      const inner = samplesOf(inside);
      await inner.fill("before");
      await undone(attempt, async () => {
        await inner.fill("in the part");
        await inner.take("taken");
      });
      equal(await inner.size(), 2, "how many there are after the part");
      await inner.fill("after");
    });
    equal(await s.ids(), ["after", "before", "taken"], "what is there");
  },

  "end by the storage's clock": async ({ s, advance }) => {
    await s.put("short", "short", { owner: "user:1", lifetime: 10 * minute });
    await s.put("long", "long", { owner: "user:1", lifetime: hour });
    await s.put("endless", "endless", { owner: "user:1", lifetime: null });
    const ids = ["short", "long", "endless"];
    const left = async () => idsOf(await s.get(...ids)).toSorted();
    advance(10 * minute - 30 * second);
    equal(await left(), ["endless", "long", "short"], "what is there before the first end");
    advance(31 * second);
    equal(await left(), ["endless", "long"], "what is there after it");
    equal(await s.take("short"), null, "what is taken of the one that is over");
    advance(hour);
    equal(await left(), ["endless"], "what is there after an hour");
    advance(1_000 * 24 * hour);
    equal(await left(), ["endless"], "what is there after a thousand days");
  },

  "are as good as absent in every call when their time is over": async ({ s, advance }) => {
    const lifetime = 10 * minute;
    const options = { owner: "user:1", lifetime };
    const { version, born, createdAt } = await s.claimNew("old", options);
    advance(lifetime + second);
    equal(await s.list({ owner: "user:1" }), [], "what is listed");
    equal(await s.count(), { count: 0, oldest: 0 }, "what is counted");
    equal(await s.claim(10), [], "what is claimed");
    equal(await s.settle({ id: "old", version }, { dueIn: 0 }), false, "settling it");
    equal([await s.remove({ owner: "user:1" }), await s.remove({ ids: ["old"] })], [[], []], "what is removed");
    equal(await s.put("old", "new", { ifVersion: version }), "stale", "putting it in its own place");
    equal(await s.put("old", "new", { ...options, ifVersion: "none" }), "stored", "putting it anew");
    const again = await s.of("old");
    holds(again.born !== born && again.version !== version, "It begins with versions of its own");
    holds(again.createdAt >= createdAt + lifetime, "It begins when it is put anew");
    const [first] = await s.claim(1);
    equal([first?.claims, first?.value], [1, "new"], "how often it was claimed, and what it holds");
    advance(lifetime + second);
    equal(await s.put("old", "third", { lifetime }), "stored", "putting it anew");
    holds((await s.of("old")).born !== again.born, "It begins anew also where any may be there");
    advance(lifetime + second);
    const quota = { ofOwner: 1, inAll: 1 };
    equal(await s.putWithin("old", "fourth", { ...options, quota }), "stored", "putting it within room");
  },

  "are forgotten when their time is over, no more than asked for, and no others": async ({ s, r, advance }) => {
    const lifetime = 10 * minute;
    for (const kind of ["mail", "Mail", "cursorKey"]) await r.records.put(kind, "record", kind, { lifetime });
    for (const id of ["one", "two"]) await s.put(id, id, { lifetime });
    await s.put("good", "good", { lifetime: hour });
    await s.put("endless", "endless");
    equal(await sweep(r, 10), {}, "how many were swept while all are good");
    advance(11 * minute);
    equal(await sweep(r, 0), {}, "how many were swept where none was asked for");
    const parts = [await sweep(r, 2), await sweep(r, 2), await sweep(r, 2)];
    const sums = parts.map((part) => Object.values(part).reduce((sum, count) => sum + count, 0));
    equal(sums, [2, 2, 1], "how many were swept, two at most");
    const all: Record<string, number> = {};
    for (const part of parts) for (const [kind, count] of Object.entries(part)) all[kind] = (all[kind] ?? 0) + count;
    equal(all, { mail: 1, Mail: 1, cursorKey: 1, [sample]: 2 }, "how many of each kind");
    equal(await sweep(r, 10), {}, "how many were swept afterwards");
    equal([await s.take("good"), await s.take("endless")], ["good", "endless"], "those that are good");
  },

  "are forgotten in a transaction, too, unless it is taken back": async ({ storage, s, r, advance }) => {
    await s.put("record", 1, { lifetime: minute });
    advance(hour);
    await rolledBack(storage, async (inside) =>
      equal(await sweep(inside, 10), { [sample]: 1 }, "how many were swept inside"),
    );
    equal(await sweep(r, 10), { [sample]: 1 }, "how many were swept afterwards");
  },
});
