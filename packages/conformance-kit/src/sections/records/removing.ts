import { equal, equalInAnyOrder, holds } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { atOnce, occurrences, whileOpen } from "../../fixtures/at-once.ts";
import { idsOf } from "../../fixtures/objects.ts";
import { orderedNames, shuffledNames } from "../../fixtures/ordered-names.ts";
import { hour, minute } from "../../fixtures/policy.ts";
import { ageless, claimedRecord, putRecords, recordOf, sample } from "../../fixtures/records.ts";

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `record ${index}`);

const taking = checksOf("records", {
  "are taken once, and stay there when they are only read": async ({ r }) => {
    await r.records.put(sample, "record", { user: "1" });
    for (let round = 0; round < 3; round += 1) {
      equal((await recordOf(r, "record")).value, { user: "1" }, "what is got");
      equal((await r.records.list(sample, { after: null, limit: 10 })).length, 1, "how many are listed");
    }
    equal(
      [await r.records.take(sample, "record"), await r.records.take(sample, "record")],
      [{ user: "1" }, null],
      "what is taken first, and then",
    );
    equal(await r.records.get(sample, ["record"]), [], "what is got afterwards");
  },

  "are taken once of many tries at once": async ({ r }) => {
    for (let round = 0; round < 4; round += 1) {
      await r.records.put(sample, "record", round);
      const answers = await atOnce(12, () => r.records.take(sample, "record"));
      equal(
        [occurrences(round, answers), occurrences(null, answers)],
        [1, 11],
        "how many were given it and how many were not",
      );
    }
  },

  "are taken each for itself": async ({ r }) => {
    for (const id of ["one", "two", "three"]) await r.records.put(sample, id, id, { owner: "user:1" });
    equal(await r.records.take(sample, "two"), "two", "the one that is taken");
    equal(idsOf(await r.records.list(sample, { after: null, limit: 10 })), ["one", "three"], "what is left");
  },

  "are taken also while they are claimed": async ({ r }) => {
    const { id, version } = await claimedRecord(r);
    equal(await r.records.take(sample, id), id, "what is taken");
    equal(await r.records.settle(sample, { id, version }, { dueIn: 0 }), false, "what comes of the claim");
  },

  "are taken or removed, never both": async ({ r }) => {
    for (let round = 0; round < 4; round += 1) {
      await r.records.put(sample, "record", round, { owner: "user:1" });
      const [taken, byOwner, byId] = await Promise.all([
        r.records.take(sample, "record"),
        r.records.remove(sample, { owner: "user:1" }),
        r.records.remove(sample, { ids: ["record"] }),
      ]);
      equal(byOwner.length + byId.length, taken === null ? 1 : 0, "how many were removed");
    }
  },

  "are taken while another transaction has taken them if that is taken back": async ({ storage, r }) => {
    for (const [end, expected] of [
      ["taken back", "before"],
      ["kept", null],
    ] as const) {
      await r.records.put(sample, "record", "before");
      const taken = await whileOpen(
        storage,
        (inside) => inside.records.take(sample, "record"),
        () => r.records.take(sample, "record"),
        { end, turns: 50 },
      );
      equal(taken, expected, `what a second one takes of what was taken, when that is ${end}`);
    }
  },
});

const removing = checksOf("records", {
  "are removed by their ids, and told each once": async ({ r }) => {
    const ids = numbered(300);
    await putRecords(r, ...ids, "other");
    equal(await r.records.remove(sample, { ids: [] }), [], "those of no id");
    equalInAnyOrder(
      await r.records.remove(sample, { ids: [...ids, "missing", ...ids.slice(0, 20), "record 0"] }),
      ids,
      "what was removed",
    );
    equal(await r.records.remove(sample, { ids }), [], "what is removed afterwards");
    equal(idsOf(await r.records.list(sample, { after: null, limit: 10 })), ["other"], "what is left");
  },

  "are removed by their owner, all of a kind": async ({ r }) => {
    const mine = numbered(300);
    for (const id of mine) await r.records.put(sample, id, id, { owner: "user:1" });
    for (const owner of ["user:11", "USER:1", "user:1 ", "user:", null])
      await r.records.put(sample, `of ${owner}`, 1, { owner });
    await r.records.put("mail", "record 0", 1, { owner: "user:1" });
    equalInAnyOrder(await r.records.remove(sample, { owner: "user:1" }), mine, "what was removed");
    equal(await r.records.remove(sample, { owner: "user:1" }), [], "what is removed afterwards");
    equal(
      idsOf(await r.records.list(sample, { after: null, limit: 10 })),
      ["of USER:1", "of null", "of user:", "of user:1 ", "of user:11"],
      "what is left of others",
    );
    equal((await r.records.get("mail", ["record 0"])).length, 1, "what is left of another kind");
  },

  "are removed once of many tries at once": async ({ r }) => {
    const ids = numbered(12);
    for (const selector of [{ ids }, { ids: ids.toReversed() }, { owner: "user:1" }]) {
      for (const id of ids) await r.records.put(sample, id, id, { owner: "user:1" });
      const answers = await atOnce(8, (index) => r.records.remove(sample, index % 2 === 0 ? selector : { ids }));
      equalInAnyOrder(answers.flat(), ids, "what all of them have removed");
    }
  },

  "are removed while they are claimed, and are not settled afterwards": async ({ r }) => {
    for (const selector of [{ ids: ["record"] }, { owner: "user:1" }]) {
      const { id, version } = await claimedRecord(r, "record", { owner: "user:1" });
      equal(await r.records.remove(sample, selector), ["record"], "what is removed");
      equal(await r.records.settle(sample, { id, version }, "done"), false, "what comes of the claim");
    }
  },

  "are removed in a transaction with what it has put itself": async ({ storage, r }) => {
    await r.records.put(sample, "outside", 1, { owner: "user:1" });
    await storage.transaction(async ({ records }) => {
      await records.put(sample, "inside", 1, { owner: "user:1" });
      equalInAnyOrder(await records.remove(sample, { owner: "user:1" }), ["inside", "outside"], "what is removed");
      equal(await records.remove(sample, { ids: ["inside", "outside"] }), [], "what is removed afterwards");
      await records.put(sample, "again", 1, { owner: "user:1" });
    });
    equal(await r.records.remove(sample, { owner: "user:1" }), ["again"], "what is left");
  },
});

const listing = checksOf("records", {
  "are listed by the code points of their ids, part by part": async ({ r }) => {
    await putRecords(r, ...shuffledNames);
    equal(idsOf(await r.records.list(sample, { after: null, limit: 100 })), [...orderedNames], "all of them");
    const parts: string[][] = [];
    for (let round = 0; round < 4; round += 1) {
      const after = parts.at(-1)?.at(-1) ?? null;
      parts.push(idsOf(await r.records.list(sample, { after, limit: 4 })));
    }
    equal(parts, [orderedNames.slice(0, 4), orderedNames.slice(4, 8), orderedNames.slice(8), []], "its parts");
    equal(
      idsOf(await r.records.list(sample, { after: "a!", limit: 2 })),
      ["a-b", "aa"],
      "those after one that is not there",
    );
    equal(await r.records.list(sample, { after: "\u{10ffff}", limit: 2 }), [], "those after all");
  },

  "are listed by owner, part by part": async ({ r }) => {
    for (const [index, id] of shuffledNames.entries())
      await r.records.put(sample, id, id, { owner: index % 2 === 0 ? "user:1" : "user:2" });
    await r.records.put(sample, "without owner", 1);
    await r.records.put("mail", "0", 1, { owner: "user:1" });
    const ofFirst = orderedNames.filter((name) => shuffledNames.indexOf(name) % 2 === 0);
    const list = async (after: string | null, limit: number) =>
      idsOf(await r.records.list(sample, { owner: "user:1", after, limit }));
    equal(await list(null, 100), ofFirst, "all of an owner");
    equal(await list(null, 2), ofFirst.slice(0, 2), "the first two");
    equal(await list(ofFirst[1] ?? "", 2), ofFirst.slice(2, 4), "the next two");
    equal(await list(ofFirst.at(-1) ?? "", 2), [], "those after all");
    equal(await r.records.list(sample, { owner: "USER:1", after: null, limit: 10 }), [], "those of an owner with none");
  },

  "are listed with all that is said of them, in a transaction, too": async ({ storage, r }) => {
    await r.records.put(sample, "one", { a: 1 }, { owner: "user:1" });
    await r.records.put(sample, "two", [2]);
    const got = [await recordOf(r, "one"), await recordOf(r, "two")];
    equal(
      Object.keys((await r.records.get(sample, ["one"]))[0] ?? {}).toSorted(),
      ["age", "born", "createdAt", "id", "owner", "value", "version"],
      "its members",
    );
    equal((await r.records.list(sample, { after: null, limit: 10 })).map(ageless), got, "what is listed");
    await storage.transaction(async (inside) => {
      equal((await inside.records.list(sample, { after: null, limit: 10 })).map(ageless), got, "what is listed inside");
      await putRecords(inside, "three");
      equal(
        idsOf(await inside.records.list(sample, { after: "one", limit: 1 })),
        ["three"],
        "what is listed of what was put inside",
      );
    });
  },

  "tell how old they are, from when they began": async ({ r, advance }) => {
    await putRecords(r, "one");
    advance(10 * minute);
    await r.records.put(sample, "one", "changed");
    advance(5 * minute);
    const ages = [
      (await r.records.get(sample, ["one"]))[0]?.age ?? 0,
      (await r.records.list(sample, { after: null, limit: 10 }))[0]?.age ?? 0,
    ];
    for (const age of ages) holds(15 * minute <= age && age < 16 * minute, `It is ${age} milliseconds old`);
  },

  "are counted, and told for how long the oldest is there": async ({ r, advance }) => {
    await putRecords(r, "first");
    advance(10 * minute);
    await putRecords(r, "second");
    advance(5 * minute);
    await r.records.put(sample, "first", "again");
    await r.records.put("mail", "other", 1);
    const [claimed] = await r.records.claim(sample, 1, minute);
    const { count, oldest } = await r.records.count(sample);
    equal([count, claimed?.id], [2, "first"], "how many there are while one is claimed");
    holds(15 * minute <= oldest && oldest < 16 * minute, `The oldest has been there for ${oldest} milliseconds`);
    await r.records.take(sample, "first");
    const rest = await r.records.count(sample);
    equal(rest.count, 1, "how many are left");
    holds(5 * minute <= rest.oldest && rest.oldest < 6 * minute, `The other has been there for ${rest.oldest} ms`);
    await r.records.take(sample, "second");
    equal(await r.records.count(sample), { count: 0, oldest: 0 }, "what is counted when none is left");
  },

  "are counted without those that are over": async ({ r, advance }) => {
    await r.records.put(sample, "over", 1, { lifetime: 10 * minute });
    advance(9 * minute);
    await r.records.put(sample, "good", 1, { lifetime: hour });
    advance(2 * minute);
    const { count, oldest } = await r.records.count(sample);
    equal(count, 1, "how many there are");
    holds(
      2 * minute <= oldest && oldest < 3 * minute,
      `The one that is good has been there for ${oldest} milliseconds`,
    );
  },
});

export const recordRemovingChecks: readonly Check[] = [...taking, ...removing, ...listing];
