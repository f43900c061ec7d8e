import type { ClaimedRecord } from "@sallyport/core";
import { equal, equalInAnyOrder, holds } from "../../assert/index.ts";
import type { Check } from "../../check.ts";
import { atOnce, occurrences, whileOpen } from "../../fixtures/concurrently.ts";
import { errorOf } from "../../fixtures/error-of.ts";
import { equalCounts, pluck } from "../../fixtures/lists.ts";
import { idsOf } from "../../fixtures/objects.ts";
import { hour, minute, second } from "../../fixtures/policy.ts";
import { ageless, isOld, numbered, recordChecks, samplesOf } from "./samples.ts";

const section = "claims of records";

/** Repeats concurrent claims until this many records are claimed, or the rounds are used up. */
async function claimAll(count: number, rounds: number, claim: () => Promise<ClaimedRecord[][]>) {
  const claimed: ClaimedRecord[] = [];
  for (let round = 0; round < rounds && claimed.length < count; round += 1) claimed.push(...(await claim()).flat());
  return claimed;
}

const claimsOf = (claimed: readonly ClaimedRecord[]) => pluck(claimed, "claims");

const giving = recordChecks(section, null, {
  "are of those first that began first, as many as are asked for": async ({ s }) => {
    const ids = ["record 9", "record 10", "a", "Z", "record 1"];
    await s.fill(...ids);
    equal(await s.claim(0), [], "none");
    equal(await s.claimIds(2), ids.slice(0, 2), "the first two");
    const rest = await s.claim(10);
    equal(idsOf(rest), ids.slice(2), "the others");
    for (const claimed of rest.toReversed()) await s.settle(claimed, { dueIn: 0 });
    await s.put("a", "written again");
    equal(await s.claimIds(10), ids.slice(2), "the same, due again, the last of them first, and one written again");
  },

  "show the record, how often it was claimed, and its age": async ({ s, advance }) => {
    await s.put("record", { a: [1] }, { owner: "user:1" });
    const put = await s.of("record");
    advance(10 * minute);
    const { claims, age, version, ...shown } = await s.claimFirst();
    const { version: before, ...said } = put;
    equal(shown, said, "what is said of it");
    equal(claims, 1, "how often it was claimed");
    isOld(age, 10 * minute);
    equal(await s.of("record"), { ...put, version }, "what is got while it is claimed");
    holds(version !== before, "The claim changes its version");
    advance(5 * minute);
    const later = await s.claimFirst();
    isOld(later.age, 15 * minute);
    equal(later.claims, 2, "how often it was claimed later");
  },

  "are not given again before their lease is over": async ({ s, advance }) => {
    const first = await s.claimNew();
    equal(first.claims, 1, "how often it was claimed");
    advance(minute - 5 * second);
    equal(await s.claim(1), [], "what is claimed before the lease is over");
    equal(await s.size(), 1, "how many there are");
    advance(10 * second);
    const later = await s.claimFirst();
    equal([later.id, later.value, later.claims], ["record", "record", 2], "what is claimed when it is over");
    holds(later.version !== first.version, "Each claim has a version of its own");
  },

  "give each record once of many claims at once": async ({ s }) => {
    await s.fill(...numbered(20));
    const claimed = await claimAll(20, 10, () => atOnce(6, () => s.claim(3)));
    equalInAnyOrder(idsOf(claimed), numbered(20), "what was claimed");
    equal([...new Set(claimsOf(claimed))], [1], "how often each was claimed");
  },

  "are taken back with their transaction": async ({ storage, s }) => {
    await s.fill("record");
    const failed = storage.transaction(async (inside) => {
      const inner = samplesOf(inside);
      equal(claimsOf(await inner.claim(1, hour)), [1], "how often it was claimed inside");
      equal(await inner.claim(1, hour), [], "what can be claimed inside afterwards");
      throw new Error("failed");
    });
    await errorOf(() => failed);
    equal(claimsOf(await s.claim(1)), [1], "how often it was claimed");
  },

  "are kept and settled with their transaction": async ({ storage, s }) => {
    await storage.transaction(async (inside) => {
      const inner = samplesOf(inside);
      const { id, version } = await inner.claimNew("one");
      equal(await inner.settle({ id, version }, "done"), true, "settling one");
      await inner.claimNew("two");
      await inner.fill("three");
    });
    equal(await s.claimIds(10), ["three"], "what can be claimed");
    equal(await s.ids(), ["three", "two"], "what is there");
  },

  "end when their record is put, which is due at once and was never claimed": async ({ s }) => {
    const claimed = await s.claimNew();
    equal(await s.put("record", "new", { ifVersion: claimed.version }), "stored", "putting it");
    equal(await s.settle(claimed, "done"), false, "what comes of the claim");
    const first = await s.claimFirst();
    equal([first.claims, first.value, first.born], [1, "new", claimed.born], "what is claimed at once");
    await s.settle(first, { dueIn: hour });
    await s.fill("record");
    equal(claimsOf(await s.claim(1)), [1], "how often it was claimed, put while it was not due");
  },

  "change the version that a put has to name": async ({ s }) => {
    await s.fill("record");
    const { version } = await s.of("record");
    await s.claim(1);
    equal(await s.put("record", "new", { ifVersion: version }), "stale", "the version before the claim");
    equal(await s.claim(1), [], "what can be claimed");
  },
});

const settling = recordChecks(section, null, {
  "are settled once when they are done": async ({ s }) => {
    const claimed = await s.claimNew();
    equal(await s.size(), 1, "how many there are while it is claimed");
    const done = () => s.settle(claimed, "done");
    equal([await done(), await done()], [true, false], "being done with it, twice");
    equal([await s.count(), await s.get("record")], [{ count: 0, oldest: 0 }, []], "what is left");
    const again = await s.claimNew();
    const answers = await atOnce(6, () => s.settle(again, "done"));
    equal([occurrences(true, answers), occurrences(false, answers)], [1, 5], "being done with it, six at once");
  },

  "are settled each for itself and its kind": async ({ s, r }) => {
    const mails = samplesOf(r, "mail");
    await s.fill("one", "two");
    await mails.put("one", "mail");
    const [one, two] = await s.claim(2);
    const [mail] = await mails.claim(2);
    const { version = 0 } = one ?? {};
    equal(await mails.settle({ id: "one", version }, "done"), false, "one as another kind");
    equal(await s.settle({ id: "two", version }, "done"), false, "one as another id");
    equal(await s.settle({ id: "one", version }, "done"), true, "one as it is");
    const left = [...(await s.get("one", "two")), ...(await mails.get("one"))];
    equal(pluck(left, "version"), [two?.version, mail?.version], "what is left");
  },

  "are settled no more when another claim has followed": async ({ s, advance }) => {
    const first = await s.claimNew();
    advance(2 * minute);
    const again = await s.claimFirst();
    equal(again.id, "record", "the record that is claimed again");
    for (const settlement of [{ dueIn: 0 }, { dueIn: 0, value: "other" }, "done"] as const)
      equal(await s.settle(first, settlement), false, "what comes of the first claim");
    equal(await s.claim(1), [], "what can be claimed");
    equal((await s.of("record")).value, "record", "what it holds");
    equal(await s.settle(again, "done"), true, "what comes of the second claim");
  },

  "are settled no more when their record was put or removed": async ({ s }) => {
    const remove = () => s.remove({ ids: ["record"] });
    for (const [what, lose] of Object.entries({
      "a put": () => s.fill("record"),
      "a removal": remove,
      "a taking": () => s.take("record"),
      "a removal and another put": () => remove().then(() => s.fill("record")),
      "a removal, another put and its claim": () => remove().then(() => s.claimNew()),
    })) {
      const claimed = await s.claimNew();
      await lose();
      const before = (await s.get("record")).map(ageless);
      for (const settlement of [{ dueIn: hour, value: "other" }, "done"] as const)
        equal(await s.settle(claimed, settlement), false, `what comes of the claim after ${what}`);
      equal((await s.get("record")).map(ageless), before, `what is there after ${what}`);
    }
  },

  "are settled also late, when no other claim has followed": async ({ s, advance }) => {
    const claimed = await s.claimNew();
    advance(10 * minute);
    equal([await s.settle(claimed, "done"), await s.size()], [true, 0], "being done with it, and how many there are");
  },

  "are settled no more when the record is over, and do not lengthen its time": async ({ s, advance }) => {
    const lifetime = 10 * minute;
    const claimed = await s.claimNew("record", { lifetime });
    equal(await s.settle(claimed, { dueIn: 9 * minute, value: "other" }), true, "settling it in time");
    advance(9 * minute + second);
    const again = await s.claimFirst(hour);
    equal([again.value, again.claims], ["other", 2], "what is claimed before its end");
    advance(minute);
    equal(await s.size(), 0, "how many there are after its end");
    equal(await s.settle(again, { dueIn: 0 }), false, "settling it after its end");
  },

  "make a record due again when their delay is over, and others at their time": async ({ s, advance }) => {
    await s.fill("one", "two");
    const [one, two] = [await s.claimFirst(), await s.claimFirst()];
    equal(await s.settle(one, { dueIn: 30 * minute }), true, "the first, due in half an hour");
    equal(await s.settle(two, { dueIn: 10 * second }), true, "the second, due in ten seconds");
    equal(await s.claim(10), [], "what is due at once");
    advance(11 * second);
    equal(await s.claimIds(10, hour), ["two"], "what is due after ten seconds");
    advance(29 * minute);
    equal(await s.claim(10, hour), [], "what is due before half an hour");
    advance(minute);
    const [due, ...others] = await s.claim(10);
    equal([due?.id, due?.value, due?.claims, others], ["one", "one", 2, []], "what is due after half an hour");
  },

  "give their record another value, and go on with their version and their lease": async ({ s, advance }) => {
    await s.put("record", "first", { owner: "user:1" });
    const claimed = await s.claimFirst(10 * minute);
    for (const value of ["second", false, { a: [null] }, "third", "third"])
      equal(await s.settle(claimed, { value }), true, `settling it with ${JSON.stringify(value)}`);
    equal(await s.of("record"), { ...ageless(claimed), value: "third" }, "what is there");
    advance(10 * minute - 5 * second);
    equal(await s.claim(1), [], "what is claimed before the lease is over");
    advance(10 * second);
    const again = await s.claimFirst();
    equal([again.id, again.value, again.claims], ["record", "third", 2], "what is claimed when it is over");
  },

  "give their record another value and another time, or that time alone": async ({ s, advance }) => {
    const claimed = await s.claimNew();
    const third = { dueIn: 10 * minute, value: "third" };
    for (const settlement of [{ dueIn: 0, value: "second" }, { dueIn: hour }, third, { dueIn: 5 * minute }])
      equal(await s.settle(claimed, settlement), true, "settling it again and again");
    equal(await s.claim(1), [], "what can be claimed at once");
    const { version, value } = await s.of("record");
    equal([version, value], [claimed.version, "third"], "its version, and what it holds");
    advance(5 * minute + second);
    const again = await s.claimFirst();
    equal([again.value, again.claims], ["third", 2], "what is claimed at the time that was named last");
    equal(await s.settle(again, { dueIn: 0, value: "fourth" }), true, "settling that");
    const later = await s.claimFirst();
    equal([later.value, later.claims], ["fourth", 3], "what is claimed at once");
  },
});

export const recordClaimingChecks: readonly Check[] = [
  ...giving,
  ...settling,

  ...recordChecks(section, "parallelTransactions", {
    "do not wait for other claims": async ({ storage, s }) => {
      await s.fill("one", "two");
      const seen = await whileOpen(
        storage,
        (inside) => samplesOf(inside).claim(1),
        () => s.claimIds(10),
        { turns: 20_000 },
      );
      equal(seen, ["two"], "what is claimed while another one claims");
    },
  }),

  ...recordChecks(section, "severalProcesses", {
    "are one for several processes": async ({ s, another }) => {
      const other = samplesOf((await another()).repositories);
      const of = (index: number) => (index % 2 === 0 ? s : other);
      const quota = { ofOwner: 0, inAll: 7 };
      const put = (index: number) => of(index).putWithin(`record ${index}`, index, { owner: `user:${index}`, quota });
      equalCounts(await atOnce(12, put), { stored: 7, full: 5 }, "how many were stored");
      const claimed = await claimAll(7, 7, () => atOnce(4, (index) => of(index).claim(2)));
      const distinct = [claimed.length, new Set(idsOf(claimed)).size, new Set(pluck(claimed, "version")).size];
      equal(distinct, [7, 7, 7], "how many were claimed, and how many different ones and versions");
      const [first] = claimed as [ClaimedRecord];
      const answers = await atOnce(6, (index) => of(index).settle(first, "done"));
      equal(occurrences(true, answers), 1, "how many were done with the first");
      equal(await other.size(), 6, "how many there are");
    },
  }),

  ...recordChecks(section, "durable", {
    "still hold when the database is opened again, and give no version again": async ({ storage, s, reopen }) => {
      const claimed = await s.claimNew("claimed");
      await s.put("put", { a: 1 }, { owner: "user:1", lifetime: hour });
      const put = await s.of("put");
      await s.fill("taken");
      const { version } = await s.of("taken");
      await s.take("taken");
      await storage.close();
      const again = samplesOf((await reopen()).repositories);
      equal(await again.size(), 2, "how many there are");
      equal(await again.of("put"), put, "what was put");
      await again.fill("new");
      const { version: later } = await again.of("new");
      holds(![version, put.version, claimed.version].includes(later), `${later} was never given before`);
      equal(await again.claimIds(10), ["put", "new"], "what is claimed");
      equal(await again.settle(claimed, "done"), true, "whether the claim still holds");
    },
  }),
];
