import type { RecordValue } from "@sallyport/core";
import { equal, equalInAnyOrder, failsWith, holds } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { errorOf } from "../../fixtures/error-of.ts";
import { hostileTexts, unstorableTexts } from "../../fixtures/hostile-texts.ts";
import { idsOf } from "../../fixtures/objects.ts";
import { hour, minute, second } from "../../fixtures/policy.ts";
import { ageless, putRecords, recordOf, sample, sweep } from "../../fixtures/records.ts";

/** Every shape of JSON but null, and what is easily taken for nothing. */
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

/** Texts that must not be taken for one another. */
const alike: readonly string[] = ["a", "A", "a ", " a", "a\t", "\u00e4", "a\u0308", "\u00c4", "\u00e1", "ss", "\u00df"];

/** Texts of as many characters as there may be. */
const longest = (length: number) => ["u".repeat(length), "\u00e4".repeat(length), "\u{1f469}".repeat(length / 2)];

export const recordKeepingChecks: readonly Check[] = checksOf("records", {
  "are not there before they are put": async ({ r }) => {
    const { records } = r;
    for (const kind of [sample, "mail", "k".repeat(32)]) {
      equal(await records.get(kind, ["record"]), [], `what is got of ${kind}`);
      equal(await records.take(kind, "record"), null, `what is taken of ${kind}`);
      equal(await records.list(kind, { after: null, limit: 10 }), [], `what is listed of ${kind}`);
      equal(await records.count(kind), { count: 0, oldest: 0 }, `what is counted of ${kind}`);
      equal(await records.claim(kind, 10, minute), [], `what is claimed of ${kind}`);
      equal(await records.settle(kind, { id: "record", version: 1 }, "done"), false, `what is settled of ${kind}`);
      equal(
        [await records.remove(kind, { ids: ["record"] }), await records.remove(kind, { owner: "user:1" })],
        [[], []],
        `what is removed of ${kind}`,
      );
    }
    equal(await sweep(r, 10), {}, "how many are swept");
  },

  "hold values of every shape": async ({ r: { records } }) => {
    for (const [index, value] of values.entries()) {
      const what = `value ${index}`;
      equal(await records.put(sample, what, value), "stored", `putting ${what}`);
      equal(
        (await records.get(sample, [what])).map((record) => record.value),
        [value],
        `${what}, got`,
      );
      equal(
        (await records.list(sample, { after: null, limit: 10 })).map((record) => record.value),
        [value],
        `${what}, listed`,
      );
      const [claimed] = await records.claim(sample, 10, minute);
      equal(claimed?.value, value, `${what}, claimed`);
      equal(await records.take(sample, what), value, `${what}, taken`);
    }
  },

  "are put in the place of those before, with all that is said of them": async ({ r: { records }, advance }) => {
    await records.put(sample, "record", { first: 1 }, { owner: "user:1", lifetime: minute });
    equal(await records.put(sample, "record", ["second"]), "stored", "putting it again");
    const [again] = await records.get(sample, ["record"]);
    equal([again?.value, again?.owner], [["second"], null], "the value and the owner");
    equal(await records.remove(sample, { owner: "user:1" }), [], "what its first owner has");
    advance(hour);
    equal((await records.count(sample)).count, 1, "how many there are after the first lifetime");
    await records.put(sample, "record", 3, { owner: "user:2", lifetime: minute });
    equal((await records.get(sample, ["record"]))[0]?.owner, "user:2", "the third owner");
    advance(minute + 1_000);
    equal((await records.count(sample)).count, 0, "how many there are after the third lifetime");
  },

  "are got by any number of ids, each once": async ({ r }) => {
    const ids = Array.from({ length: 300 }, (_, index) => `record ${index}`);
    await putRecords(r, ...ids);
    equal(await r.records.get(sample, []), [], "those of no id");
    const found = await r.records.get<string>(sample, [...ids, "missing", ...ids.slice(0, 10), ...unstorableTexts]);
    equalInAnyOrder(idsOf(found), ids, "the ids");
    equal(
      found.every(({ id, value }) => id === value),
      true,
      "whether each has its own value",
    );
  },

  "are of one kind": async ({ r: { records } }) => {
    const kinds = ["kind", "Kind", "kinds", "k".repeat(31), "k".repeat(32)];
    for (const kind of kinds) await records.put(kind, "record", kind, { owner: "user:1", lifetime: hour });
    for (const kind of kinds) {
      const listed = await records.list(kind, { after: null, limit: 10 });
      equal([listed.map(({ value }) => value), (await records.count(kind)).count], [[kind], 1], `those of ${kind}`);
    }
    equal((await records.claim("kind", 10, minute)).length, 1, "how many of a kind are claimed");
    equal((await records.claim("Kind", 10, minute)).length, 1, "how many of another kind are claimed then");
    equal(await records.remove("kinds", { ids: ["record"] }), ["record"], "what is removed by its id");
    equal(await records.remove("kind", { owner: "user:1" }), ["record"], "what is removed by its owner");
    equal(await records.take("Kind", "record"), "Kind", "what is taken");
    for (const [kind, left] of kinds.map((each, index) => [each, index < 3 ? 0 : 1] as const))
      equal((await records.get(kind, ["record"])).length, left, `how many are left of ${kind}`);
  },

  "have ids that are told apart exactly": async ({ r: { records } }) => {
    const ids = [...alike, ...hostileTexts, ...longest(512)];
    for (const id of ids) equal(await records.put(sample, id, id, { ifVersion: "none" }), "stored", "putting one");
    equalInAnyOrder(idsOf(await records.get(sample, ids)), ids, "what is got");
    for (const id of ids)
      equal(
        (await records.get(sample, [id])).map(({ value }) => value),
        [id],
        `that of ${JSON.stringify(id)}`,
      );
    for (const [index, id] of ids.entries())
      equal(
        [await records.take(sample, id), (await records.count(sample)).count],
        [id, ids.length - index - 1],
        `what is taken as ${JSON.stringify(id)}, and how many are left`,
      );
  },

  "have owners that are told apart exactly": async ({ r: { records } }) => {
    const owners = [...alike, ...hostileTexts, ...longest(200)];
    for (const [index, owner] of owners.entries()) await records.put(sample, `record ${index}`, index, { owner });
    await records.put(sample, "without owner", "");
    for (const [index, owner] of owners.entries()) {
      const what = `of ${JSON.stringify(owner)}`;
      const listed = await records.list(sample, { owner, after: null, limit: 100 });
      equal(
        listed.map((record) => [record.id, record.owner]),
        [[`record ${index}`, owner]],
        `those ${what}`,
      );
      equal(await records.remove(sample, { owner }), [`record ${index}`], `what is removed ${what}`);
    }
    equal(idsOf(await records.list(sample, { after: null, limit: 100 })), ["without owner"], "what is left");
  },

  "are not put with a text that cannot be stored": async ({ r: { records } }) => {
    const room = { ofOwner: 0, inAll: 0 };
    await records.put(sample, "kept", "kept");
    const [claimed] = await records.claim(sample, 1, minute);
    for (const text of unstorableTexts) {
      const what = JSON.stringify(text);
      await failsWith(307, () => records.put(sample, text, 1), `one with the id ${what}`);
      await failsWith(307, () => records.put(sample, "record", 1, { owner: text }), `one of the owner ${what}`);
      for (const value of [text, { text }, [[text]], { [text]: 1 }]) {
        await failsWith(307, () => records.put(sample, "record", value), `one that holds ${what}`);
        await failsWith(
          307,
          () => records.putWithin(sample, "record", value, { owner: "user:1", room }),
          `one within room that holds ${what}`,
        );
        await failsWith(
          307,
          () => records.settle(sample, { id: "kept", version: claimed?.version ?? 0 }, { dueIn: 0, value }),
          `settling one that holds ${what}`,
        );
      }
      await failsWith(307, () => records.putWithin(sample, text, 1, { owner: "user:1", room }), `one as ${what}`);
      await failsWith(307, () => records.putWithin(sample, "record", 1, { owner: text, room }), `one of ${what}`);
    }
    equal(await records.list(sample, { after: null, limit: 10 }).then(idsOf), ["kept"], "what is kept");
    equal(await records.claim(sample, 10, minute), [], "what is due");
  },

  "of ids and owners that cannot be stored are as good as absent": async ({ r: { records } }) => {
    await records.put(sample, "demo", "demo", { owner: "demo" });
    for (const text of unstorableTexts) {
      const what = JSON.stringify(text);
      equal(await records.get(sample, [text]), [], `what is got as ${what}`);
      equal(await records.take(sample, text), null, `what is taken as ${what}`);
      equal(await records.remove(sample, { ids: [text] }), [], `what is removed as ${what}`);
      equal(await records.remove(sample, { owner: text }), [], `what is removed of ${what}`);
      equal(await records.list(sample, { owner: text, after: null, limit: 10 }), [], `what is listed of ${what}`);
      equal(await records.settle(sample, { id: text, version: 1 }, "done"), false, `what is settled as ${what}`);
    }
    equal(await records.remove(sample, { ids: [...unstorableTexts, "demo"] }), ["demo"], "what is removed among them");
  },

  "tell by the storage's clock when they began, and keep it": async ({ storage, r, advance }) => {
    advance(3 * hour);
    const before = await storage.now();
    await putRecords(r, "record");
    const after = await storage.now();
    const { createdAt } = await recordOf(r, "record");
    holds(before <= createdAt && createdAt <= after, `${createdAt} is between ${before} and ${after}`);
    advance(hour);
    await r.records.put(sample, "record", "other", { ifVersion: "any" });
    equal((await recordOf(r, "record")).createdAt, createdAt, "when it began, after another write");
    const [claimed] = await r.records.claim(sample, 1, minute);
    equal(claimed?.createdAt, createdAt, "when it began, as it is claimed");
    await r.records.settle(sample, claimed ?? { id: "", version: 0 }, { dueIn: 0, value: "third" });
    equal((await recordOf(r, "record")).createdAt, createdAt, "when it began, after it was settled");
    await r.records.take(sample, "record");
    await putRecords(r, "record");
    const again = await recordOf(r, "record");
    holds(again.createdAt >= createdAt + hour, `${again.createdAt} is an hour after ${createdAt} at least`);
  },

  "are written by transactions as a whole, or not at all": async ({ storage, r }) => {
    const undone = new RangeError("undone");
    await r.records.put(sample, "taken", 1, { owner: "user:1" });
    await r.records.put(sample, "removed", 2, { owner: "user:2" });
    await r.records.put(sample, "changed", 3);
    const before = (await r.records.list(sample, { after: null, limit: 10 })).map(ageless);
    const failed = storage.transaction(async ({ records }) => {
      equal(await records.take(sample, "taken"), 1, "what is taken");
      equal(await records.remove(sample, { owner: "user:2" }), ["removed"], "what is removed");
      equal(await records.put(sample, "changed", 4), "stored", "what is changed");
      const room = { ofOwner: 1, inAll: 0 };
      equal(await records.putWithin(sample, "new", 5, { owner: "user:1", room }), "stored", "what is new");
      const seen = await records.list(sample, { after: null, limit: 10 });
      equal(
        seen.map(({ id, value }) => [id, value]),
        [
          ["changed", 4],
          ["new", 5],
        ],
        "what the transaction sees",
      );
      equal((await records.count(sample)).count, 2, "how many it counts");
      equal(await records.get(sample, ["taken"]), [], "what it gets of what it has taken");
      throw undone;
    });
    equal(await errorOf(() => failed), undone, "what the transaction fails with");
    equal((await r.records.list(sample, { after: null, limit: 10 })).map(ageless), before, "what is there afterwards");
    await storage.transaction(async (inside) => {
      await inside.records.take(sample, "taken");
      await putRecords(inside, "new");
    });
    equal(
      idsOf(await r.records.list(sample, { after: null, limit: 10 })),
      ["changed", "new", "removed"],
      "what is kept",
    );
  },

  "are undone with the part of a transaction that wrote them": async ({ storage, r }) => {
    await putRecords(r, "taken");
    await storage.transaction(async (inside, attempt) => {
      await putRecords(inside, "before");
      await errorOf(() =>
        attempt(async () => {
          await putRecords(inside, "in the part");
          await inside.records.take(sample, "taken");
          throw new Error("undone");
        }),
      );
      equal((await inside.records.count(sample)).count, 2, "how many there are after the part");
      await putRecords(inside, "after");
    });
    equal(
      idsOf(await r.records.list(sample, { after: null, limit: 10 })),
      ["after", "before", "taken"],
      "what is there",
    );
  },

  "end by the storage's clock": async ({ r: { records }, advance }) => {
    await records.put(sample, "short", "short", { owner: "user:1", lifetime: 10 * minute });
    await records.put(sample, "long", "long", { owner: "user:1", lifetime: hour });
    await records.put(sample, "endless", "endless", { owner: "user:1", lifetime: null });
    const ids = ["short", "long", "endless"];
    const left = async () => idsOf(await records.get(sample, ids)).toSorted();
    advance(10 * minute - 30 * second);
    equal(await left(), ["endless", "long", "short"], "what is there before the first end");
    advance(31 * second);
    equal(await left(), ["endless", "long"], "what is there after it");
    equal(await records.take(sample, "short"), null, "what is taken of the one that is over");
    advance(hour);
    equal(await left(), ["endless"], "what is there after an hour");
    advance(1_000 * 24 * hour);
    equal(await left(), ["endless"], "what is there after a thousand days");
  },

  "are as good as absent in every call when their time is over": async ({ r: { records }, advance }) => {
    const lifetime = 10 * minute;
    const options = { owner: "user:1", lifetime };
    await records.put(sample, "old", "old", options);
    const [claimed] = await records.claim(sample, 1, minute);
    const { version = 0, born, createdAt = 0 } = claimed ?? {};
    advance(lifetime + second);
    equal(await records.list(sample, { owner: "user:1", after: null, limit: 10 }), [], "what is listed");
    equal(await records.count(sample), { count: 0, oldest: 0 }, "what is counted");
    equal(await records.claim(sample, 10, minute), [], "what is claimed");
    equal(await records.settle(sample, { id: "old", version }, { dueIn: 0 }), false, "settling it");
    equal(
      [await records.remove(sample, { owner: "user:1" }), await records.remove(sample, { ids: ["old"] })],
      [[], []],
      "what is removed",
    );
    equal(await records.put(sample, "old", "new", { ifVersion: version }), "stale", "putting it in its own place");
    equal(await records.put(sample, "old", "new", { ...options, ifVersion: "none" }), "stored", "putting it anew");
    const [again] = await records.get(sample, ["old"]);
    holds((again?.born ?? 0) !== born && (again?.version ?? 0) !== version, "It begins with versions of its own");
    holds((again?.createdAt ?? 0) >= createdAt + lifetime, "It begins when it is put anew");
    const [first] = await records.claim(sample, 1, minute);
    equal([first?.claims, first?.value], [1, "new"], "how often it was claimed, and what it holds");
    advance(lifetime + second);
    equal(await records.put(sample, "old", "third", { lifetime }), "stored", "putting it anew");
    const [third] = await records.get(sample, ["old"]);
    holds((third?.born ?? 0) !== again?.born, "It begins anew also where any may be there");
    advance(lifetime + second);
    const room = { ofOwner: 1, inAll: 1 };
    equal(await records.putWithin(sample, "old", "fourth", { ...options, room }), "stored", "putting it within room");
  },

  "are forgotten when their time is over, no more than asked for, and no others": async ({ r, advance }) => {
    const { records } = r;
    for (const kind of ["mail", "Mail", "cursorKey"])
      await records.put(kind, "record", kind, { lifetime: 10 * minute });
    for (const id of ["one", "two"]) await records.put(sample, id, id, { lifetime: 10 * minute });
    await records.put(sample, "good", "good", { lifetime: hour });
    await records.put(sample, "endless", "endless");
    equal(await sweep(r, 10), {}, "how many were swept while all are good");
    advance(11 * minute);
    equal(await sweep(r, 0), {}, "how many were swept where none was asked for");
    const parts = [await sweep(r, 2), await sweep(r, 2), await sweep(r, 2)];
    equal(
      parts.map((part) => Object.values(part).reduce((sum, count) => sum + count, 0)),
      [2, 2, 1],
      "how many were swept, two at most",
    );
    const all: Record<string, number> = {};
    for (const part of parts) for (const [kind, count] of Object.entries(part)) all[kind] = (all[kind] ?? 0) + count;
    equal(all, { mail: 1, Mail: 1, cursorKey: 1, [sample]: 2 }, "how many of each kind");
    equal(await sweep(r, 10), {}, "how many were swept afterwards");
    equal(
      [await records.take(sample, "good"), await records.take(sample, "endless")],
      ["good", "endless"],
      "those that are good",
    );
  },

  "are forgotten in a transaction, too, unless it is taken back": async ({ storage, r, advance }) => {
    await r.records.put(sample, "record", 1, { lifetime: minute });
    advance(hour);
    const failed = storage.transaction(async (inside) => {
      equal(await sweep(inside, 10), { [sample]: 1 }, "how many were swept inside");
      throw new Error("undone");
    });
    await errorOf(() => failed);
    equal(await sweep(r, 10), { [sample]: 1 }, "how many were swept afterwards");
  },
});
