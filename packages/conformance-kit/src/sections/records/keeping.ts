import type { RecordValue } from "@sallyport/storage";
import { equal, equalInAnyOrder, failsWith, isTrue } from "../../assert/index.ts";
import type { Check } from "../../check.ts";
import { hostileTexts, unstorableTexts } from "../../fixtures/hostile-texts.ts";
import { pluck } from "../../fixtures/lists.ts";
import { idsOf } from "../../fixtures/objects.ts";
import { hour, minute, second } from "../../fixtures/policy.ts";
import { rolledBack, rollBackNested } from "../../fixtures/rolled-back.ts";
import { withoutAge, numbered, recordChecks, sample, samplesOf, sweep } from "./samples.ts";

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
  "returns nothing for records that were never put": async ({ r }) => {
    for (const kind of [sample, "mail", "k".repeat(32)]) {
      const records = samplesOf(r, kind);
      equal(await records.get("record"), [], `the records returned for ${kind}`);
      equal(await records.take("record"), null, `the record taken from ${kind}`);
      equal(await records.list(), [], `the list of ${kind}`);
      equal(await records.count(), { count: 0, oldest: 0 }, `the count of ${kind}`);
      equal(await records.claim(10), [], `the claimed records of ${kind}`);
      equal(await records.settle({ id: "record", version: 1 }, "done"), false, `the outcome of settling in ${kind}`);
      for (const selector of [{ ids: ["record"] }, { owner: "user:1" }])
        equal(await records.remove(selector), [], `the removed records of ${kind}`);
    }
    equal(await sweep(r, 10), {}, "numbers of swept records");
  },

  "stores values of every JSON type": async ({ s }) => {
    for (const [index, value] of values.entries()) {
      const what = `value ${index}`;
      equal(await s.put(what, value), "stored", `the outcome of putting ${what}`);
      equal(pluck(await s.get(what), "value"), [value], `${what} from get`);
      equal(pluck(await s.list(), "value"), [value], `${what} from list`);
      const [claimed] = await s.claim(10);
      equal(claimed?.value, value, `${what} from claim`);
      equal(await s.take(what), value, `${what} from take`);
    }
  },

  "replaces a record with its value, owner and lifetime": async ({ s, advance }) => {
    await s.put("record", { first: 1 }, { owner: "user:1", lifetime: minute });
    equal(await s.put("record", ["second"]), "stored", "the outcome of the second put");
    const [again] = await s.get("record");
    equal([again?.value, again?.owner], [["second"], null], "the value and the owner");
    equal(await s.remove({ owner: "user:1" }), [], "the removed records of the first owner");
    advance(hour);
    equal(await s.size(), 1, "number of records after the first lifetime");
    await s.put("record", 3, { owner: "user:2", lifetime: minute });
    equal((await s.get("record"))[0]?.owner, "user:2", "the third owner");
    advance(minute + 1_000);
    equal(await s.size(), 0, "number of records after the third lifetime");
  },

  "returns records by any number of IDs, each once": async ({ s }) => {
    const ids = numbered(300);
    await s.fill(...ids);
    equal(await s.get(), [], "the records for no IDs");
    const found = await s.get(...ids, "missing", ...ids.slice(0, 10), ...unstorableTexts);
    equalInAnyOrder(idsOf(found), ids, "the IDs");
    equal(pluck(found, "value"), idsOf(found), "the value of each record");
  },

  "keeps the records of different kinds separate": async ({ r }) => {
    const kinds = ["kind", "Kind", "kinds", "k".repeat(31), "k".repeat(32)];
    const of = (kind: string) => samplesOf(r, kind);
    for (const kind of kinds) await of(kind).put("record", kind, { owner: "user:1", lifetime: hour });
    for (const kind of kinds)
      equal([await of(kind).values(), await of(kind).size()], [[kind], 1], `the records of ${kind}`);
    equal((await of("kind").claim(10)).length, 1, "number of claims in one kind");
    equal((await of("Kind").claim(10)).length, 1, "number of claims in another kind");
    equal(await of("kinds").remove({ ids: ["record"] }), ["record"], "the record removed by ID");
    equal(await of("kind").remove({ owner: "user:1" }), ["record"], "the record removed by owner");
    equal(await of("Kind").take("record"), "Kind", "the taken record");
    for (const [index, kind] of kinds.entries())
      equal((await of(kind).get("record")).length, index < 3 ? 0 : 1, `number of remaining records of ${kind}`);
  },

  "compares record IDs exactly": async ({ s }) => {
    const ids = [...alike, ...hostileTexts, ...longest(512)];
    for (const id of ids) equal(await s.put(id, id, { ifVersion: "none" }), "stored", "the outcome of a put");
    equalInAnyOrder(idsOf(await s.get(...ids)), ids, "the returned IDs");
    for (const id of ids) equal(pluck(await s.get(id), "value"), [id], `the value for ${JSON.stringify(id)}`);
    for (const [index, id] of ids.entries()) {
      equal(await s.take(id), id, `the value taken for ${JSON.stringify(id)}`);
      equal(await s.size(), ids.length - index - 1, `number of records left without ${JSON.stringify(id)}`);
    }
  },

  "compares record owners exactly": async ({ s }) => {
    const owners = [...alike, ...hostileTexts, ...longest(200)];
    for (const [index, owner] of owners.entries()) await s.put(`record ${index}`, index, { owner });
    await s.put("without owner", "");
    for (const [index, owner] of owners.entries()) {
      const what = `of ${JSON.stringify(owner)}`;
      const listed = await s.list({ owner, limit: 100 });
      equal([idsOf(listed), pluck(listed, "owner")], [[`record ${index}`], [owner]], `the records ${what}`);
      equal(await s.remove({ owner }), [`record ${index}`], `the removed records ${what}`);
    }
    equal(await s.ids({ limit: 100 }), ["without owner"], "the remaining records");
  },

  "refuses to put or settle a record with an unstorable text": async ({ s }) => {
    const quota = { perOwner: 0, total: 0 };
    const within = { owner: "user:1", quota };
    const claimed = await s.claimNew("kept");
    for (const text of unstorableTexts) {
      const what = JSON.stringify(text);
      await failsWith(307, () => s.put(text, 1), `a record with the ID ${what}`);
      await failsWith(307, () => s.put("record", 1, { owner: text }), `a record with the owner ${what}`);
      for (const value of [text, { text }, [[text]], { [text]: 1 }]) {
        await failsWith(307, () => s.put("record", value), `a record with the value ${what}`);
        await failsWith(
          307,
          () => s.putWithin("record", value, within),
          `a record with the value ${what}, within a quota`,
        );
        await failsWith(307, () => s.settle(claimed, { dueIn: 0, value }), `a settlement with the value ${what}`);
      }
      await failsWith(307, () => s.putWithin(text, 1, within), `a record with the ID ${what}, within a quota`);
      await failsWith(
        307,
        () => s.putWithin("record", 1, { owner: text, quota }),
        `a record with the owner ${what}, within a quota`,
      );
    }
    equal(await s.ids(), ["kept"], "the stored records");
    equal(await s.claim(10), [], "the due records");
  },

  "treats unstorable IDs and owners as absent in reads and removals": async ({ s }) => {
    await s.put("demo", "demo", { owner: "demo" });
    for (const text of unstorableTexts) {
      const what = JSON.stringify(text);
      equal(await s.get(text), [], `the records returned for ${what}`);
      equal(await s.take(text), null, `the record taken for ${what}`);
      equal(await s.remove({ ids: [text] }), [], `the records removed by the ID ${what}`);
      equal(await s.remove({ owner: text }), [], `the records removed by the owner ${what}`);
      equal(await s.list({ owner: text }), [], `the list of the owner ${what}`);
      equal(await s.settle({ id: text, version: 1 }, "done"), false, `the outcome of settling ${what}`);
    }
    equal(await s.remove({ ids: [...unstorableTexts, "demo"] }), ["demo"], "the removed records among unstorable IDs");
  },

  "dates the creation of a record with the storage clock and keeps that time": async ({ storage, s, advance }) => {
    advance(3 * hour);
    const before = await storage.now();
    await s.fill("record");
    const after = await storage.now();
    const { createdAt } = await s.of("record");
    isTrue(before <= createdAt && createdAt <= after, `${createdAt} must be between ${before} and ${after}`);
    advance(hour);
    await s.put("record", "other", { ifVersion: "any" });
    equal((await s.of("record")).createdAt, createdAt, "the creation time after another write");
    const claimed = await s.claimFirst();
    equal(claimed.createdAt, createdAt, "the creation time in a claim");
    await s.settle(claimed, { dueIn: 0, value: "third" });
    equal((await s.of("record")).createdAt, createdAt, "the creation time after a settlement");
    await s.take("record");
    await s.fill("record");
    const again = await s.of("record");
    isTrue(again.createdAt >= createdAt + hour, `${again.createdAt} must be at least an hour after ${createdAt}`);
  },

  "commits or rolls back all record writes of a transaction": async ({ storage, s }) => {
    await s.put("taken", 1, { owner: "user:1" });
    await s.put("removed", 2, { owner: "user:2" });
    await s.put("changed", 3);
    const before = (await s.list()).map(withoutAge);
    await rolledBack(storage, async (inside) => {
      const inner = samplesOf(inside);
      equal(await inner.take("taken"), 1, "the taken record");
      equal(await inner.remove({ owner: "user:2" }), ["removed"], "the removed records");
      equal(await inner.put("changed", 4), "stored", "the outcome of a change");
      const quota = { perOwner: 1, total: 0 };
      equal(await inner.putWithin("new", 5, { owner: "user:1", quota }), "stored", "the outcome of a new record");
      equal(await inner.ids(), ["changed", "new"], "the IDs seen by the transaction");
      equal(await inner.values(), [4, 5], "the values seen by the transaction");
      equal(await inner.size(), 2, "the count seen by the transaction");
      equal(await inner.get("taken"), [], "the taken record, read again by the transaction");
    });
    equal((await s.list()).map(withoutAge), before, "the records after the commit");
    await storage.transaction(async (inside) => {
      await samplesOf(inside).take("taken");
      await samplesOf(inside).fill("new");
    });
    equal(await s.ids(), ["changed", "new", "removed"], "the records after the rollback");
  },

  "rolls back record writes with their nested transaction": async ({ storage, s }) => {
    await s.fill("taken");
    await storage.transaction(async (inside, attempt) => {
      const inner = samplesOf(inside);
      await inner.fill("before");
      await rollBackNested(attempt, async () => {
        await inner.fill("in the nested transaction");
        await inner.take("taken");
      });
      equal(await inner.size(), 2, "number of records after the nested transaction");
      await inner.fill("after");
    });
    equal(await s.ids(), ["after", "before", "taken"], "the records");
  },

  "expires records by the storage clock": async ({ s, advance }) => {
    await s.put("short", "short", { owner: "user:1", lifetime: 10 * minute });
    await s.put("long", "long", { owner: "user:1", lifetime: hour });
    await s.put("endless", "endless", { owner: "user:1", lifetime: null });
    const ids = ["short", "long", "endless"];
    const left = async () => idsOf(await s.get(...ids)).toSorted();
    advance(10 * minute - 30 * second);
    equal(await left(), ["endless", "long", "short"], "the records before the first expiry");
    advance(31 * second);
    equal(await left(), ["endless", "long"], "the records after the first expiry");
    equal(await s.take("short"), null, "the expired record, taken");
    advance(hour);
    equal(await left(), ["endless"], "the records after an hour");
    advance(1_000 * 24 * hour);
    equal(await left(), ["endless"], "the records after a thousand days");
  },

  "treats expired records as absent in every call": async ({ s, advance }) => {
    const lifetime = 10 * minute;
    const options = { owner: "user:1", lifetime };
    const { version, createdVersion, createdAt } = await s.claimNew("old", options);
    advance(lifetime + second);
    equal(await s.list({ owner: "user:1" }), [], "the list");
    equal(await s.count(), { count: 0, oldest: 0 }, "the count");
    equal(await s.claim(10), [], "the claimed records");
    equal(await s.settle({ id: "old", version }, { dueIn: 0 }), false, "the outcome of settling");
    equal([await s.remove({ owner: "user:1" }), await s.remove({ ids: ["old"] })], [[], []], "the removed records");
    equal(await s.put("old", "new", { ifVersion: version }), "stale", "the outcome of a put with its version");
    equal(await s.put("old", "new", { ...options, ifVersion: "none" }), "stored", "the outcome of a new put");
    const again = await s.of("old");
    isTrue(
      again.createdVersion !== createdVersion && again.version !== version,
      "The new record must have new versions",
    );
    isTrue(again.createdAt >= createdAt + lifetime, "The creation time must be that of the new put");
    const [first] = await s.claim(1);
    equal([first?.claims, first?.value], [1, "new"], "the number of claims and the value");
    advance(lifetime + second);
    equal(await s.put("old", "third", { lifetime }), "stored", "the outcome of an unconditional put");
    isTrue(
      (await s.of("old")).createdVersion !== again.createdVersion,
      "The record must begin again with an unconditional put",
    );
    advance(lifetime + second);
    const quota = { perOwner: 1, total: 1 };
    equal(await s.putWithin("old", "fourth", { ...options, quota }), "stored", "the outcome of a put within a quota");
  },

  "sweeps expired records up to the limit, and no others": async ({ s, r, advance }) => {
    const lifetime = 10 * minute;
    for (const kind of ["mail", "Mail", "cursorKey"]) await r.records.put(kind, "record", kind, { lifetime });
    for (const id of ["one", "two"]) await s.put(id, id, { lifetime });
    await s.put("good", "good", { lifetime: hour });
    await s.put("endless", "endless");
    equal(await sweep(r, 10), {}, "numbers of records swept before their expiry");
    advance(11 * minute);
    equal(await sweep(r, 0), {}, "numbers of records swept with a limit of zero");
    const parts = [await sweep(r, 2), await sweep(r, 2), await sweep(r, 2)];
    const sums = parts.map((part) => Object.values(part).reduce((sum, count) => sum + count, 0));
    equal(sums, [2, 2, 1], "numbers of records swept with a limit of two");
    const all: Record<string, number> = {};
    for (const part of parts) for (const [kind, count] of Object.entries(part)) all[kind] = (all[kind] ?? 0) + count;
    equal(all, { mail: 1, Mail: 1, cursorKey: 1, [sample]: 2 }, "number of swept records of each kind");
    equal(await sweep(r, 10), {}, "numbers of records swept by the last call");
    await s.fill("one", "two");
    for (const id of ["three", "four", "five"]) await s.put(id, id, { lifetime });
    advance(11 * minute);
    equal(await sweep(r, 10), { [sample]: 3 }, "number of records of one kind swept at once");
    equal([await s.take("good"), await s.take("endless")], ["good", "endless"], "the live records");
  },

  "rolls back a sweep of records with its transaction": async ({ storage, s, r, advance }) => {
    await s.put("record", 1, { lifetime: minute });
    advance(hour);
    await rolledBack(storage, async (inside) =>
      equal(await sweep(inside, 10), { [sample]: 1 }, "numbers of records swept inside the transaction"),
    );
    equal(await sweep(r, 10), { [sample]: 1 }, "numbers of records swept after the rollback");
  },
});
