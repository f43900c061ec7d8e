import type { ClaimedRecord } from "@sallyport/storage";
import { equal, equalInAnyOrder, equalToOneOf, isTrue } from "../../assert/index.ts";
import type { Check } from "../../check.ts";
import { concurrently, occurrences, whileOpen } from "../../fixtures/concurrently.ts";
import { errorOf } from "../../fixtures/error-of.ts";
import { equalCounts, pluck } from "../../fixtures/lists.ts";
import { idsOf } from "../../fixtures/objects.ts";
import { hour, minute, second } from "../../fixtures/policy.ts";
import { withoutAge, assertAge, numbered, recordChecks, samplesOf } from "./samples.ts";

const section = "record claims";

/** Repeats concurrent claims until this many records are claimed, or the rounds are used up. */
async function claimAll(count: number, rounds: number, claim: () => Promise<ClaimedRecord[][]>) {
  const claimed: ClaimedRecord[] = [];
  for (let round = 0; round < rounds && claimed.length < count; round += 1) claimed.push(...(await claim()).flat());
  return claimed;
}

const claimsOf = (claimed: readonly ClaimedRecord[]) => pluck(claimed, "claims");

const giving = recordChecks(section, null, {
  "claims records in creation order up to the limit": async ({ s }) => {
    const ids = ["record 9", "record 10", "a", "Z", "record 1"];
    await s.fill(...ids);
    equal(await s.claim(0), [], "none");
    equal(await s.claimIds(2), ids.slice(0, 2), "the first two records");
    const rest = await s.claim(10);
    equal(idsOf(rest), ids.slice(2), "the other records");
    for (const claimed of rest.toReversed()) await s.settle(claimed, { dueIn: 0 });
    await s.put("a", "written again");
    equal(await s.claimIds(10), ids.slice(2), "the same records, due again in reverse order, one of them rewritten");
  },

  "returns the record with the number of its claims and its age": async ({ s, advance }) => {
    await s.put("record", { a: [1] }, { owner: "user:1" });
    const put = await s.of("record");
    advance(10 * minute);
    const { claims, age, version, ...shown } = await s.claimFirst();
    const { version: before, ...members } = put;
    equal(shown, members, "the members of the record");
    equal(claims, 1, "number of claims");
    assertAge(age, 10 * minute);
    equal(await s.of("record"), { ...put, version }, "the record during the claim");
    isTrue(version !== before, "The claim must change the version");
    advance(5 * minute);
    const later = await s.claimFirst();
    assertAge(later.age, 15 * minute);
    equal(later.claims, 2, "number of claims of the second claim");
  },

  "claims a record again only after its lease expires": async ({ s, advance }) => {
    const first = await s.claimNew();
    equal(first.claims, 1, "number of claims");
    advance(minute - 5 * second);
    equal(await s.claim(1), [], "the claimed records before the lease expires");
    equal(await s.size(), 1, "number of records");
    advance(10 * second);
    const later = await s.claimFirst();
    equal([later.id, later.value, later.claims], ["record", "record", 2], "the claimed record after the lease expires");
    isTrue(later.version !== first.version, "Each claim must have its own version");
  },

  "claims each record once across concurrent claims": async ({ s }) => {
    await s.fill(...numbered(20));
    const claimed = await claimAll(20, 10, () => concurrently(6, () => s.claim(3)));
    equalInAnyOrder(idsOf(claimed), numbered(20), "the claimed records");
    equal([...new Set(claimsOf(claimed))], [1], "number of claims of each record");
  },

  "settles a claim in one of several concurrent calls": async ({ s }) => {
    const claimed = await s.claimNew();
    const settled = await concurrently(6, () => s.settle(claimed, "done"));
    equal(settled.toSorted(), [false, false, false, false, false, true], "the outcomes of settling the same claim");
    equal(await s.size(), 0, "number of records");
  },

  "rolls back claims with their transaction": async ({ storage, s }) => {
    await s.fill("record");
    const failed = storage.transaction(async (inside) => {
      const inner = samplesOf(inside);
      equal(claimsOf(await inner.claim(1, hour)), [1], "number of claims inside the transaction");
      equal(await inner.claim(1, hour), [], "the records that can still be claimed inside the transaction");
      throw new Error("failed");
    });
    await errorOf(() => failed);
    equal(claimsOf(await s.claim(1)), [1], "number of claims");
  },

  "commits claims and settlements with their transaction": async ({ storage, s }) => {
    await storage.transaction(async (inside) => {
      const inner = samplesOf(inside);
      const { id, version } = await inner.claimNew("one");
      equal(await inner.settle({ id, version }, "done"), true, "the outcome of settling one record");
      await inner.claimNew("two");
      await inner.fill("three");
    });
    equal(await s.claimIds(10), ["three"], "the records that can be claimed");
    equal(await s.ids(), ["three", "two"], "the remaining records");
  },

  "ends a claim when its record is put, which is due immediately with no claims": async ({ s }) => {
    const claimed = await s.claimNew();
    equal(await s.put("record", "new", { ifVersion: claimed.version }), "stored", "the outcome of the put");
    equal(await s.settle(claimed, "done"), false, "the outcome of settling the former claim");
    const first = await s.claimFirst();
    equal([first.claims, first.value, first.createdVersion], [1, "new", claimed.createdVersion], "the claimed record");
    await s.settle(first, { dueIn: hour });
    await s.fill("record");
    equal(claimsOf(await s.claim(1)), [1], "number of claims after a put before the due time");
  },

  "requires the version of the claim in a conditional put": async ({ s }) => {
    await s.fill("record");
    const { version } = await s.of("record");
    await s.claim(1);
    equal(
      await s.put("record", "new", { ifVersion: version }),
      "stale",
      "the outcome of a put with the version before the claim",
    );
    equal(await s.claim(1), [], "the records that can be claimed");
  },
});

const settling = recordChecks(section, null, {
  "settles a claim as done once": async ({ s }) => {
    const claimed = await s.claimNew();
    equal(await s.size(), 1, "number of records during the claim");
    const done = () => s.settle(claimed, "done");
    equal([await done(), await done()], [true, false], "the outcomes of settling twice");
    equal([await s.count(), await s.get("record")], [{ count: 0, oldest: 0 }, []], "the remaining records");
    const again = await s.claimNew();
    const answers = await concurrently(6, () => s.settle(again, "done"));
    equal(
      [occurrences(true, answers), occurrences(false, answers)],
      [1, 5],
      "the outcomes of six concurrent settlements",
    );
  },

  "settles each claim by its own ID and kind only": async ({ s, r }) => {
    const mails = samplesOf(r, "mail");
    await s.fill("one", "two");
    await mails.put("one", "mail");
    const [one, two] = await s.claim(2);
    const [mail] = await mails.claim(2);
    const { version = 0 } = one ?? {};
    equal(await mails.settle({ id: "one", version }, "done"), false, "the outcome with another kind");
    equal(await s.settle({ id: "two", version }, "done"), false, "the outcome with another ID");
    equal(await s.settle({ id: "one", version }, "done"), true, "the outcome with the right kind and ID");
    const left = [...(await s.get("one", "two")), ...(await mails.get("one"))];
    equal(pluck(left, "version"), [two?.version, mail?.version], "the versions of the remaining records");
  },

  "refuses to settle a claim after a newer one": async ({ s, advance }) => {
    const first = await s.claimNew();
    advance(2 * minute);
    const again = await s.claimFirst();
    equal(again.id, "record", "the record that is claimed again");
    for (const settlement of [{ dueIn: 0 }, { dueIn: 0, value: "other" }, "done"] as const)
      equal(await s.settle(first, settlement), false, "the outcome of settling the first claim");
    equal(await s.claim(1), [], "the records that can be claimed");
    equal((await s.of("record")).value, "record", "the value of the record");
    equal(await s.settle(again, "done"), true, "the outcome of settling the second claim");
  },

  "refuses to settle a claim after its record is put or removed": async ({ s }) => {
    const remove = () => s.remove({ ids: ["record"] });
    for (const [what, lose] of Object.entries({
      "a put": () => s.fill("record"),
      "a removal": remove,
      "a take": () => s.take("record"),
      "a removal and a put": () => remove().then(() => s.fill("record")),
      "a removal, a put and a claim": () => remove().then(() => s.claimNew()),
    })) {
      const claimed = await s.claimNew();
      await lose();
      const before = (await s.get("record")).map(withoutAge);
      for (const settlement of [{ dueIn: hour, value: "other" }, "done"] as const)
        equal(await s.settle(claimed, settlement), false, `the outcome of settling after ${what}`);
      equal((await s.get("record")).map(withoutAge), before, `the record after ${what}`);
    }
  },

  "settles an expired claim if there is no newer one": async ({ s, advance }) => {
    const claimed = await s.claimNew();
    advance(10 * minute);
    equal([await s.settle(claimed, "done"), await s.size()], [true, 0], "the outcome and the number of records");
  },

  "refuses to settle a claim of an expired record, and does not extend its lifetime": async ({ s, advance }) => {
    const lifetime = 10 * minute;
    const claimed = await s.claimNew("record", { lifetime });
    equal(await s.settle(claimed, { dueIn: 9 * minute, value: "other" }), true, "the outcome before the expiry");
    advance(9 * minute + second);
    const again = await s.claimFirst(hour);
    equal([again.value, again.claims], ["other", 2], "the claimed record before the expiry");
    advance(minute);
    equal(await s.size(), 0, "number of records after the expiry");
    equal(await s.settle(again, { dueIn: 0 }), false, "the outcome after the expiry");
  },

  "makes each settled record due again after its own delay": async ({ s, advance }) => {
    await s.fill("one", "two");
    const [one, two] = [await s.claimFirst(), await s.claimFirst()];
    equal(await s.settle(one, { dueIn: 30 * minute }), true, "the outcome of a delay of half an hour");
    equal(await s.settle(two, { dueIn: 10 * second }), true, "the outcome of a delay of ten seconds");
    equal(await s.claim(10), [], "the due records immediately after");
    advance(11 * second);
    equal(await s.claimIds(10, hour), ["two"], "the due records after ten seconds");
    advance(29 * minute);
    equal(await s.claim(10, hour), [], "the due records before half an hour");
    advance(minute);
    const [due, ...others] = await s.claim(10);
    equal([due?.id, due?.value, due?.claims, others], ["one", "one", 2, []], "the due records after half an hour");
  },

  "replaces the value of a claimed record and keeps its version and lease": async ({ s, advance }) => {
    await s.put("record", "first", { owner: "user:1" });
    const claimed = await s.claimFirst(10 * minute);
    for (const value of ["second", false, { a: [null] }, "third", "third"])
      equal(await s.settle(claimed, { value }), true, `the outcome with ${JSON.stringify(value)}`);
    equal(await s.of("record"), { ...withoutAge(claimed), value: "third" }, "the record");
    advance(10 * minute - 5 * second);
    equal(await s.claim(1), [], "the claimed records before the lease expires");
    advance(10 * second);
    const again = await s.claimFirst();
    equal([again.id, again.value, again.claims], ["record", "third", 2], "the claimed record after the lease expires");
  },

  "replaces the value and the due time of a claimed record, or the due time only": async ({ s, advance }) => {
    const claimed = await s.claimNew();
    const third = { dueIn: 10 * minute, value: "third" };
    for (const settlement of [{ dueIn: 0, value: "second" }, { dueIn: hour }, third, { dueIn: 5 * minute }])
      equal(await s.settle(claimed, settlement), true, "the outcome of each settlement");
    equal(await s.claim(1), [], "the records that can be claimed immediately");
    const { version, value } = await s.of("record");
    equal([version, value], [claimed.version, "third"], "the version and the value of the record");
    advance(5 * minute + second);
    const again = await s.claimFirst();
    equal([again.value, again.claims], ["third", 2], "the claimed record at the last given due time");
    equal(await s.settle(again, { dueIn: 0, value: "fourth" }), true, "the outcome of the next settlement");
    const later = await s.claimFirst();
    equal([later.value, later.claims], ["fourth", 3], "the claimed record after it is due immediately");
  },
});

export const recordClaimingChecks: readonly Check[] = [
  ...giving,
  ...settling,

  ...recordChecks(section, "parallelTransactions", {
    "does not wait for concurrent claims": async ({ storage, s, canOvertake }) => {
      await s.fill("one", "two");
      const seen = await whileOpen(
        storage,
        (inside) => samplesOf(inside).claim(1),
        () => s.claimIds(10),
        { reads: 20_000 },
      );
      equalToOneOf(
        seen.toSorted(),
        [["two"], ...(canOvertake ? [["one", "two"]] : [])],
        "the records claimed during another claim",
      );
    },
  }),

  ...recordChecks(section, "severalProcesses", {
    "shares quotas, claims and settlements across processes": async ({ s, another }) => {
      const other = samplesOf((await another()).repositories);
      const of = (index: number) => (index % 2 === 0 ? s : other);
      const quota = { perOwner: 0, total: 7 };
      const put = (index: number) => of(index).putWithin(`record ${index}`, index, { owner: `user:${index}`, quota });
      equalCounts(await concurrently(12, put), { stored: 7, full: 5 }, "numbers of stored and refused records");
      const claimed = await claimAll(7, 7, () => concurrently(4, (index) => of(index).claim(2)));
      const distinct = [claimed.length, new Set(idsOf(claimed)).size, new Set(pluck(claimed, "version")).size];
      equal(distinct, [7, 7, 7], "numbers of claims, of different records and of different versions");
      const [first] = claimed as [ClaimedRecord];
      const answers = await concurrently(6, (index) => of(index).settle(first, "done"));
      equal(occurrences(true, answers), 1, "number of successful settlements of the first claim");
      equal(await other.size(), 6, "number of records");
    },
  }),

  ...recordChecks(section, "durable", {
    "keeps claims after it is reopened, and never reuses a version": async ({ storage, s, reopen }) => {
      const claimed = await s.claimNew("claimed");
      await s.put("put", { a: 1 }, { owner: "user:1", lifetime: hour });
      const put = await s.of("put");
      await s.fill("taken");
      const { version } = await s.of("taken");
      await s.take("taken");
      await storage.close();
      const again = samplesOf((await reopen()).repositories);
      equal(await again.size(), 2, "number of records");
      equal(await again.of("put"), put, "the stored record");
      await again.fill("new");
      const { version: later } = await again.of("new");
      isTrue(![version, put.version, claimed.version].includes(later), `The version ${later} must be new`);
      equal(await again.claimIds(10), ["put", "new"], "the claimed records");
      equal(await again.settle(claimed, "done"), true, "whether the claim can be settled");
    },
  }),
];
