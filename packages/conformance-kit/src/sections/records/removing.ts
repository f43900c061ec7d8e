import { equal, equalInAnyOrder, equalToOneOf } from "../../assert/index.ts";
import type { Check } from "../../check.ts";
import { concurrently, occurrences, whileOpen } from "../../fixtures/concurrently.ts";
import { orderedNames, shuffledNames } from "../../fixtures/ordered-names.ts";
import { hour, minute } from "../../fixtures/policy.ts";
import { withoutAge, assertAge, numbered, recordChecks, samplesOf } from "./samples.ts";

const taking = recordChecks("records", null, {
  "takes a record once, and keeps it on reads": async ({ s }) => {
    await s.put("record", { user: "1" });
    for (let round = 0; round < 3; round += 1) {
      equal((await s.of("record")).value, { user: "1" }, "the returned record");
      equal((await s.list()).length, 1, "number of listed records");
    }
    equal([await s.take("record"), await s.take("record")], [{ user: "1" }, null], "the results of two takes");
    equal(await s.get("record"), [], "the record after the takes");
  },

  "gives a record to one of several concurrent takes": async ({ s }) => {
    for (let round = 0; round < 4; round += 1) {
      await s.put("record", round);
      const answers = await concurrently(12, () => s.take("record"));
      equal(
        [occurrences(round, answers), occurrences(null, answers)],
        [1, 11],
        "numbers of calls that got the record or not",
      );
    }
  },

  "takes only the given record": async ({ s }) => {
    for (const id of ["one", "two", "three"]) await s.put(id, id, { owner: "user:1" });
    equal(await s.take("two"), "two", "the taken record");
    equal(await s.ids(), ["one", "three"], "the remaining records");
  },

  "takes a claimed record": async ({ s }) => {
    const { id, version } = await s.claimNew();
    equal(await s.take(id), id, "the taken record");
    equal(await s.settle({ id, version }, { dueIn: 0 }), false, "the outcome of settling the claim");
  },

  "either takes or removes a record in concurrent calls": async ({ s }) => {
    for (let round = 0; round < 4; round += 1) {
      await s.put("record", round, { owner: "user:1" });
      const [taken, byOwner, byId] = await Promise.all([
        s.take("record"),
        s.remove({ owner: "user:1" }),
        s.remove({ ids: ["record"] }),
      ]);
      equal(byOwner.length + byId.length, taken === null ? 1 : 0, "number of removed records");
    }
  },

  "takes a record if a concurrent transaction that took it rolls back": async ({ storage, s, canOvertake }) => {
    for (const [end, expected] of [
      ["rolled back", "before"],
      ["committed", null],
    ] as const) {
      await s.put("record", "before");
      const taken = await whileOpen(
        storage,
        (inside) => samplesOf(inside).take("record"),
        () => s.take("record"),
        { end, reads: 50 },
      );
      const allowed = [expected, ...(canOvertake ? ["before"] : [])];
      equalToOneOf(taken, allowed, `the record taken second when the first take is ${end}`);
      equal(await s.take("record"), null, "the record taken by a third call");
    }
  },
});

const removing = recordChecks("records", null, {
  "removes records by ID and returns each removed ID once": async ({ s }) => {
    const ids = numbered(300);
    await s.fill(...ids, "other");
    equal(await s.remove({ ids: [] }), [], "the removed records for no IDs");
    const repeated = [...ids, "missing", ...ids.slice(0, 20), "record 0"];
    equalInAnyOrder(await s.remove({ ids: repeated }), ids, "the removed records");
    equal(await s.remove({ ids }), [], "the records removed by a second call");
    equal(await s.ids(), ["other"], "the remaining records");
  },

  "removes all records of an owner in one kind": async ({ s, r }) => {
    const mine = numbered(300);
    for (const id of mine) await s.put(id, id, { owner: "user:1" });
    for (const owner of ["user:11", "USER:1", "user:1 ", "user:", null]) await s.put(`of ${owner}`, 1, { owner });
    await r.records.put("mail", "record 0", 1, { owner: "user:1" });
    equalInAnyOrder(await s.remove({ owner: "user:1" }), mine, "the removed records");
    equal(await s.remove({ owner: "user:1" }), [], "the records removed by a second call");
    equal(
      await s.ids(),
      ["of USER:1", "of null", "of user:", "of user:1 ", "of user:11"],
      "the remaining records of other owners",
    );
    equal((await r.records.get("mail", ["record 0"])).length, 1, "the remaining records of another kind");
  },

  "removes each record in one of several concurrent calls": async ({ s }) => {
    const ids = numbered(12);
    for (const selector of [{ ids }, { ids: ids.toReversed() }, { owner: "user:1" }]) {
      for (const id of ids) await s.put(id, id, { owner: "user:1" });
      const answers = await concurrently(8, (index) => s.remove(index % 2 === 0 ? selector : { ids }));
      equalInAnyOrder(answers.flat(), ids, "the removed records of all calls");
    }
  },

  "removes a claimed record and refuses to settle it afterwards": async ({ s }) => {
    for (const selector of [{ ids: ["record"] }, { owner: "user:1" }]) {
      const { id, version } = await s.claimNew("record", { owner: "user:1" });
      equal(await s.remove(selector), ["record"], "the removed record");
      equal(await s.settle({ id, version }, "done"), false, "the outcome of settling the claim");
    }
  },

  "removes the records that the same transaction has put": async ({ storage, s }) => {
    await s.put("outside", 1, { owner: "user:1" });
    await storage.transaction(async (inside) => {
      const inner = samplesOf(inside);
      await inner.put("inside", 1, { owner: "user:1" });
      equalInAnyOrder(await inner.remove({ owner: "user:1" }), ["inside", "outside"], "the removed records");
      equal(await inner.remove({ ids: ["inside", "outside"] }), [], "the records removed by a second call");
      await inner.put("again", 1, { owner: "user:1" });
    });
    equal(await s.remove({ owner: "user:1" }), ["again"], "the remaining records");
  },
});

const listing = recordChecks("records", null, {
  "lists records page by page in code point order of their IDs": async ({ s }) => {
    await s.fill(...shuffledNames);
    equal(await s.ids({ limit: 100 }), [...orderedNames], "the whole list");
    const parts: string[][] = [];
    for (let round = 0; round < 5; round += 1) {
      const after = parts.at(-1)?.at(-1) ?? null;
      parts.push(await s.ids({ after, limit: 4 }));
    }
    const pages = [0, 4, 8, 12].map((first) => orderedNames.slice(first, first + 4));
    equal(parts, [...pages, []], "the pages");
    equal(await s.ids({ after: "a!", limit: 2 }), ["a-b", "aa"], "the page after an unknown ID");
    equal(await s.list({ after: "\u{10ffff}", limit: 2 }), [], "the page after the last record");
    equal(await s.list({ limit: 0 }), [], "a page with a limit of zero");
  },

  "lists the records of an owner page by page": async ({ s, r }) => {
    for (const [index, id] of shuffledNames.entries())
      await s.put(id, id, { owner: index % 2 === 0 ? "user:1" : "user:2" });
    await s.put("without owner", 1);
    await r.records.put("mail", "0", 1, { owner: "user:1" });
    const ofFirst = orderedNames.filter((name) => shuffledNames.indexOf(name) % 2 === 0);
    const list = (after: string | null, limit: number) => s.ids({ owner: "user:1", after, limit });
    equal(await list(null, 100), ofFirst, "all records of an owner");
    equal(await list(null, 2), ofFirst.slice(0, 2), "the first page");
    equal(await list(ofFirst[1] ?? "", 2), ofFirst.slice(2, 4), "the second page");
    equal(await list(ofFirst.at(-1) ?? "", 2), [], "the page after the last record");
    equal(await s.list({ owner: "USER:1" }), [], "the records of an owner without any");
  },

  "lists complete records, also in a transaction": async ({ storage, s }) => {
    await s.put("one", { a: 1 }, { owner: "user:1" });
    await s.put("two", [2]);
    const got = [await s.of("one"), await s.of("two")];
    const members = Object.keys((await s.get("one"))[0] ?? {}).toSorted();
    equal(
      members,
      ["age", "createdAt", "createdVersion", "id", "owner", "value", "version"],
      "the members of a record",
    );
    equal((await s.list()).map(withoutAge), got, "the list");
    await storage.transaction(async (inside) => {
      const inner = samplesOf(inside);
      equal((await inner.list()).map(withoutAge), got, "the list inside the transaction");
      await inner.fill("three");
      equal(await inner.ids({ after: "one", limit: 1 }), ["three"], "the list of records put inside the transaction");
    });
  },

  "returns the age of a record since its creation": async ({ s, advance }) => {
    await s.fill("one");
    advance(10 * minute);
    await s.put("one", "changed");
    advance(5 * minute);
    const ages = [(await s.get("one"))[0]?.age ?? 0, (await s.list())[0]?.age ?? 0];
    for (const age of ages) assertAge(age, 15 * minute);
  },

  "returns the number of records and the age of the oldest one": async ({ s, r, advance }) => {
    await s.fill("first");
    advance(10 * minute);
    await s.fill("second");
    advance(5 * minute);
    await s.put("first", "again");
    await r.records.put("mail", "other", 1);
    const [claimed] = await s.claim(1);
    const { count, oldest } = await s.count();
    equal([count, claimed?.id], [2, "first"], "number of records during a claim");
    assertAge(oldest, 15 * minute);
    await s.take("first");
    const rest = await s.count();
    equal(rest.count, 1, "number of remaining records");
    assertAge(rest.oldest, 5 * minute);
    await s.take("second");
    equal(await s.count(), { count: 0, oldest: 0 }, "the count without any records");
  },

  "excludes expired records from the count": async ({ s, advance }) => {
    await s.put("over", 1, { lifetime: 10 * minute });
    advance(9 * minute);
    await s.put("good", 1, { lifetime: hour });
    advance(2 * minute);
    const { count, oldest } = await s.count();
    equal(count, 1, "number of records");
    assertAge(oldest, 2 * minute);
  },
});

export const recordRemovingChecks: readonly Check[] = [...taking, ...removing, ...listing];
