import { equal, equalInAnyOrder } from "../../assert/index.ts";
import type { Check } from "../../check.ts";
import { atOnce, occurrences, whileOpen } from "../../fixtures/concurrently.ts";
import { orderedNames, shuffledNames } from "../../fixtures/ordered-names.ts";
import { hour, minute } from "../../fixtures/policy.ts";
import { ageless, isOld, numbered, recordChecks, samplesOf } from "./samples.ts";

const taking = recordChecks("records", null, {
  "are taken once, and stay there when they are only read": async ({ s }) => {
    await s.put("record", { user: "1" });
    for (let round = 0; round < 3; round += 1) {
      equal((await s.of("record")).value, { user: "1" }, "what is got");
      equal((await s.list()).length, 1, "how many are listed");
    }
    equal([await s.take("record"), await s.take("record")], [{ user: "1" }, null], "what is taken first, and then");
    equal(await s.get("record"), [], "what is got afterwards");
  },

  "are taken once of many tries at once": async ({ s }) => {
    for (let round = 0; round < 4; round += 1) {
      await s.put("record", round);
      const answers = await atOnce(12, () => s.take("record"));
      equal([occurrences(round, answers), occurrences(null, answers)], [1, 11], "how many were given it, how many not");
    }
  },

  "are taken each for itself": async ({ s }) => {
    for (const id of ["one", "two", "three"]) await s.put(id, id, { owner: "user:1" });
    equal(await s.take("two"), "two", "the one that is taken");
    equal(await s.ids(), ["one", "three"], "what is left");
  },

  "are taken also while they are claimed": async ({ s }) => {
    const { id, version } = await s.claimNew();
    equal(await s.take(id), id, "what is taken");
    equal(await s.settle({ id, version }, { dueIn: 0 }), false, "what comes of the claim");
  },

  "are taken or removed, never both": async ({ s }) => {
    for (let round = 0; round < 4; round += 1) {
      await s.put("record", round, { owner: "user:1" });
      const [taken, byOwner, byId] = await Promise.all([
        s.take("record"),
        s.remove({ owner: "user:1" }),
        s.remove({ ids: ["record"] }),
      ]);
      equal(byOwner.length + byId.length, taken === null ? 1 : 0, "how many were removed");
    }
  },

  "are taken while another transaction has taken them if that is taken back": async ({ storage, s }) => {
    for (const [end, expected] of [
      ["taken back", "before"],
      ["kept", null],
    ] as const) {
      await s.put("record", "before");
      const taken = await whileOpen(
        storage,
        (inside) => samplesOf(inside).take("record"),
        () => s.take("record"),
        { end, turns: 50 },
      );
      equal(taken, expected, `what a second one takes of what was taken, when that is ${end}`);
    }
  },
});

const removing = recordChecks("records", null, {
  "are removed by their ids, and told each once": async ({ s }) => {
    const ids = numbered(300);
    await s.fill(...ids, "other");
    equal(await s.remove({ ids: [] }), [], "those of no id");
    const repeated = [...ids, "missing", ...ids.slice(0, 20), "record 0"];
    equalInAnyOrder(await s.remove({ ids: repeated }), ids, "what was removed");
    equal(await s.remove({ ids }), [], "what is removed afterwards");
    equal(await s.ids(), ["other"], "what is left");
  },

  "are removed by their owner, all of a kind": async ({ s, r }) => {
    const mine = numbered(300);
    for (const id of mine) await s.put(id, id, { owner: "user:1" });
    for (const owner of ["user:11", "USER:1", "user:1 ", "user:", null]) await s.put(`of ${owner}`, 1, { owner });
    await r.records.put("mail", "record 0", 1, { owner: "user:1" });
    equalInAnyOrder(await s.remove({ owner: "user:1" }), mine, "what was removed");
    equal(await s.remove({ owner: "user:1" }), [], "what is removed afterwards");
    equal(await s.ids(), ["of USER:1", "of null", "of user:", "of user:1 ", "of user:11"], "what is left of others");
    equal((await r.records.get("mail", ["record 0"])).length, 1, "what is left of another kind");
  },

  "are removed once of many tries at once": async ({ s }) => {
    const ids = numbered(12);
    for (const selector of [{ ids }, { ids: ids.toReversed() }, { owner: "user:1" }]) {
      for (const id of ids) await s.put(id, id, { owner: "user:1" });
      const answers = await atOnce(8, (index) => s.remove(index % 2 === 0 ? selector : { ids }));
      equalInAnyOrder(answers.flat(), ids, "what all of them have removed");
    }
  },

  "are removed while they are claimed, and are not settled afterwards": async ({ s }) => {
    for (const selector of [{ ids: ["record"] }, { owner: "user:1" }]) {
      const { id, version } = await s.claimNew("record", { owner: "user:1" });
      equal(await s.remove(selector), ["record"], "what is removed");
      equal(await s.settle({ id, version }, "done"), false, "what comes of the claim");
    }
  },

  "are removed in a transaction with what it has put itself": async ({ storage, s }) => {
    await s.put("outside", 1, { owner: "user:1" });
    await storage.transaction(async (inside) => {
      const inner = samplesOf(inside);
      await inner.put("inside", 1, { owner: "user:1" });
      equalInAnyOrder(await inner.remove({ owner: "user:1" }), ["inside", "outside"], "what is removed");
      equal(await inner.remove({ ids: ["inside", "outside"] }), [], "what is removed afterwards");
      await inner.put("again", 1, { owner: "user:1" });
    });
    equal(await s.remove({ owner: "user:1" }), ["again"], "what is left");
  },
});

const listing = recordChecks("records", null, {
  "are listed by the code points of their ids, part by part": async ({ s }) => {
    await s.fill(...shuffledNames);
    equal(await s.ids({ limit: 100 }), [...orderedNames], "all of them");
    const parts: string[][] = [];
    for (let round = 0; round < 4; round += 1) {
      const after = parts.at(-1)?.at(-1) ?? null;
      parts.push(await s.ids({ after, limit: 4 }));
    }
    equal(parts, [orderedNames.slice(0, 4), orderedNames.slice(4, 8), orderedNames.slice(8), []], "its parts");
    equal(await s.ids({ after: "a!", limit: 2 }), ["a-b", "aa"], "those after one that is not there");
    equal(await s.list({ after: "\u{10ffff}", limit: 2 }), [], "those after all");
  },

  "are listed by owner, part by part": async ({ s, r }) => {
    for (const [index, id] of shuffledNames.entries())
      await s.put(id, id, { owner: index % 2 === 0 ? "user:1" : "user:2" });
    await s.put("without owner", 1);
    await r.records.put("mail", "0", 1, { owner: "user:1" });
    const ofFirst = orderedNames.filter((name) => shuffledNames.indexOf(name) % 2 === 0);
    const list = (after: string | null, limit: number) => s.ids({ owner: "user:1", after, limit });
    equal(await list(null, 100), ofFirst, "all of an owner");
    equal(await list(null, 2), ofFirst.slice(0, 2), "the first two");
    equal(await list(ofFirst[1] ?? "", 2), ofFirst.slice(2, 4), "the next two");
    equal(await list(ofFirst.at(-1) ?? "", 2), [], "those after all");
    equal(await s.list({ owner: "USER:1" }), [], "those of an owner with none");
  },

  "are listed with all that is said of them, in a transaction, too": async ({ storage, s }) => {
    await s.put("one", { a: 1 }, { owner: "user:1" });
    await s.put("two", [2]);
    const got = [await s.of("one"), await s.of("two")];
    const members = Object.keys((await s.get("one"))[0] ?? {}).toSorted();
    equal(members, ["age", "born", "createdAt", "id", "owner", "value", "version"], "its members");
    equal((await s.list()).map(ageless), got, "what is listed");
    await storage.transaction(async (inside) => {
      const inner = samplesOf(inside);
      equal((await inner.list()).map(ageless), got, "what is listed inside");
      await inner.fill("three");
      equal(await inner.ids({ after: "one", limit: 1 }), ["three"], "what is listed of what was put inside");
    });
  },

  "tell how old they are, from when they began": async ({ s, advance }) => {
    await s.fill("one");
    advance(10 * minute);
    await s.put("one", "changed");
    advance(5 * minute);
    const ages = [(await s.get("one"))[0]?.age ?? 0, (await s.list())[0]?.age ?? 0];
    for (const age of ages) isOld(age, 15 * minute);
  },

  "are counted, and told for how long the oldest is there": async ({ s, r, advance }) => {
    await s.fill("first");
    advance(10 * minute);
    await s.fill("second");
    advance(5 * minute);
    await s.put("first", "again");
    await r.records.put("mail", "other", 1);
    const [claimed] = await s.claim(1);
    const { count, oldest } = await s.count();
    equal([count, claimed?.id], [2, "first"], "how many there are while one is claimed");
    isOld(oldest, 15 * minute);
    await s.take("first");
    const rest = await s.count();
    equal(rest.count, 1, "how many are left");
    isOld(rest.oldest, 5 * minute);
    await s.take("second");
    equal(await s.count(), { count: 0, oldest: 0 }, "what is counted when none is left");
  },

  "are counted without those that are over": async ({ s, advance }) => {
    await s.put("over", 1, { lifetime: 10 * minute });
    advance(9 * minute);
    await s.put("good", 1, { lifetime: hour });
    advance(2 * minute);
    const { count, oldest } = await s.count();
    equal(count, 1, "how many there are");
    isOld(oldest, 2 * minute);
  },
});

export const recordRemovingChecks: readonly Check[] = [...taking, ...removing, ...listing];
