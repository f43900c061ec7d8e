import type { ClaimedRecord } from "@sallyport/core";
import { equal, equalInAnyOrder, holds } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { atOnce, occurrences, whileOpen } from "../../fixtures/at-once.ts";
import { errorOf } from "../../fixtures/error-of.ts";
import { idsOf } from "../../fixtures/objects.ts";
import { hour, minute, second } from "../../fixtures/policy.ts";
import { ageless, claimedRecord, claimFirst, putRecords, recordOf, sample } from "../../fixtures/records.ts";

const section = "claims of records";

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `record ${index}`);

const claimsOf = (claimed: readonly ClaimedRecord[]) => claimed.map(({ claims }) => claims);

const giving = checksOf(section, {
  "are of those first that began first, as many as are asked for": async ({ r }) => {
    const ids = ["record 9", "record 10", "a", "Z", "record 1"];
    await putRecords(r, ...ids);
    equal(await r.records.claim(sample, 0, minute), [], "none");
    equal(idsOf(await r.records.claim(sample, 2, minute)), ids.slice(0, 2), "the first two");
    const rest = await r.records.claim(sample, 10, minute);
    equal(idsOf(rest), ids.slice(2), "the others");
    for (const claimed of rest.toReversed()) await r.records.settle(sample, claimed, { dueIn: 0 });
    await r.records.put(sample, "a", "written again");
    equal(
      idsOf(await r.records.claim(sample, 10, minute)),
      ids.slice(2),
      "the same when they are due again, the last of them first, and one is written again",
    );
  },

  "show the record, how often it was claimed, and its age": async ({ r, advance }) => {
    await r.records.put(sample, "record", { a: [1] }, { owner: "user:1" });
    const put = await recordOf(r, "record");
    advance(10 * minute);
    const [first] = await r.records.claim(sample, 1, minute);
    const { claims, age = 0, version = 0, ...shown } = first ?? {};
    const { version: before, ...said } = put;
    equal(shown, said, "what is said of it");
    equal(claims, 1, "how often it was claimed");
    holds(10 * minute <= age && age < 11 * minute, `It is ${age} milliseconds old`);
    equal(await recordOf(r, "record"), { ...put, version }, "what is got while it is claimed");
    holds(version !== before, "The claim changes its version");
    advance(5 * minute);
    const [later] = await r.records.claim(sample, 1, minute);
    holds(15 * minute <= (later?.age ?? 0) && (later?.age ?? 0) < 16 * minute, `It is ${later?.age} ms old later`);
    equal(later?.claims, 2, "how often it was claimed later");
  },

  "are not given again before their lease is over": async ({ r, advance }) => {
    await putRecords(r, "record");
    const [first] = await r.records.claim(sample, 1, minute);
    equal([first?.id, first?.claims], ["record", 1], "the record, and how often it was claimed");
    advance(minute - 5 * second);
    equal(await r.records.claim(sample, 1, minute), [], "what is claimed before the lease is over");
    equal((await r.records.count(sample)).count, 1, "how many there are");
    advance(10 * second);
    const [later] = await r.records.claim(sample, 1, minute);
    equal([later?.id, later?.value, later?.claims], ["record", "record", 2], "what is claimed when it is over");
    holds(later?.version !== first?.version, "Each claim has a version of its own");
  },

  "give each record once of many claims at once": async ({ r }) => {
    await putRecords(r, ...numbered(20));
    const claimed: ClaimedRecord[] = [];
    for (let round = 0; round < 10 && claimed.length < 20; round += 1)
      claimed.push(...(await atOnce(6, () => r.records.claim(sample, 3, minute))).flat());
    equalInAnyOrder(idsOf(claimed), numbered(20), "what was claimed");
    equal([...new Set(claimsOf(claimed))], [1], "how often each was claimed");
  },

  "are taken back with their transaction": async ({ storage, r }) => {
    await putRecords(r, "record");
    const failed = storage.transaction(async ({ records }) => {
      equal(claimsOf(await records.claim(sample, 1, hour)), [1], "how often it was claimed inside");
      equal(await records.claim(sample, 1, hour), [], "what can be claimed inside afterwards");
      throw new Error("failed");
    });
    await errorOf(() => failed);
    equal(claimsOf(await r.records.claim(sample, 1, minute)), [1], "how often it was claimed");
  },

  "are kept and settled with their transaction": async ({ storage, r }) => {
    await storage.transaction(async (inside) => {
      const { id, version } = await claimedRecord(inside, "one");
      equal(await inside.records.settle(sample, { id, version }, "done"), true, "settling one");
      await claimedRecord(inside, "two");
      await putRecords(inside, "three");
    });
    equal(idsOf(await r.records.claim(sample, 10, minute)), ["three"], "what can be claimed");
    equal(idsOf(await r.records.list(sample, { after: null, limit: 10 })), ["three", "two"], "what is there");
  },

  "end when their record is put, which is due at once and was never claimed": async ({ r }) => {
    const claimed = await claimedRecord(r);
    equal(await r.records.put(sample, "record", "new", { ifVersion: claimed.version }), "stored", "putting it");
    equal(await r.records.settle(sample, claimed, "done"), false, "what comes of the claim");
    const [first] = await r.records.claim(sample, 1, minute);
    equal([first?.claims, first?.value, first?.born], [1, "new", claimed.born], "what is claimed at once");
    await r.records.settle(sample, first ?? claimed, { dueIn: hour });
    await putRecords(r, "record");
    equal(
      claimsOf(await r.records.claim(sample, 1, minute)),
      [1],
      "how often it was claimed, put while it was not due",
    );
  },

  "change the version that a put has to name": async ({ r }) => {
    await putRecords(r, "record");
    const { version } = await recordOf(r, "record");
    await r.records.claim(sample, 1, minute);
    equal(
      await r.records.put(sample, "record", "new", { ifVersion: version }),
      "stale",
      "the version before the claim",
    );
    equal(await r.records.claim(sample, 1, minute), [], "what can be claimed");
  },
});

const settling = checksOf(section, {
  "are settled once when they are done": async ({ r }) => {
    const claimed = await claimedRecord(r);
    equal((await r.records.count(sample)).count, 1, "how many there are while it is claimed");
    const done = () => r.records.settle(sample, claimed, "done");
    equal([await done(), await done()], [true, false], "being done with it, twice");
    equal(
      [await r.records.count(sample), await r.records.get(sample, ["record"])],
      [{ count: 0, oldest: 0 }, []],
      "what is left",
    );
    const again = await claimedRecord(r);
    const answers = await atOnce(6, () => r.records.settle(sample, again, "done"));
    equal([occurrences(true, answers), occurrences(false, answers)], [1, 5], "being done with it, six at once");
  },

  "are settled each for itself and its kind": async ({ r }) => {
    await putRecords(r, "one", "two");
    await r.records.put("mail", "one", "mail");
    const [one, two] = await r.records.claim(sample, 2, minute);
    const [mail] = await r.records.claim("mail", 2, minute);
    const { version = 0 } = one ?? {};
    equal(await r.records.settle("mail", { id: "one", version }, "done"), false, "one as another kind");
    equal(await r.records.settle(sample, { id: "two", version }, "done"), false, "one as another id");
    equal(await r.records.settle(sample, { id: "one", version }, "done"), true, "one as it is");
    const left = [...(await r.records.get(sample, ["one", "two"])), ...(await r.records.get("mail", ["one"]))];
    equal(
      left.map((record) => record.version),
      [two?.version, mail?.version],
      "what is left",
    );
  },

  "are settled no more when another claim has followed": async ({ r, advance }) => {
    const first = await claimedRecord(r);
    advance(2 * minute);
    const again = await claimFirst(r, minute);
    equal(again.id, "record", "the record that is claimed again");
    equal(
      [
        await r.records.settle(sample, first, { dueIn: 0 }),
        await r.records.settle(sample, first, { dueIn: 0, value: "other" }),
        await r.records.settle(sample, first, "done"),
      ],
      [false, false, false],
      "what comes of the first claim",
    );
    equal(await r.records.claim(sample, 1, minute), [], "what can be claimed");
    equal((await recordOf(r, "record")).value, "record", "what it holds");
    equal(await r.records.settle(sample, again, "done"), true, "what comes of the second claim");
  },

  "are settled no more when their record was put or removed": async ({ r }) => {
    for (const [what, lose] of [
      ["a put", () => putRecords(r, "record")],
      ["a removal", () => r.records.remove(sample, { ids: ["record"] })],
      ["a taking", () => r.records.take(sample, "record")],
      [
        "a removal and another put",
        async () => {
          await r.records.remove(sample, { ids: ["record"] });
          await putRecords(r, "record");
        },
      ],
      [
        "a removal, another put and its claim",
        async () => {
          await r.records.remove(sample, { ids: ["record"] });
          await claimedRecord(r);
        },
      ],
    ] as const) {
      const claimed = await claimedRecord(r);
      await lose();
      const before = (await r.records.get(sample, ["record"])).map(ageless);
      equal(
        [
          await r.records.settle(sample, claimed, { dueIn: hour, value: "other" }),
          await r.records.settle(sample, claimed, "done"),
        ],
        [false, false],
        `what comes of the claim after ${what}`,
      );
      equal((await r.records.get(sample, ["record"])).map(ageless), before, `what is there after ${what}`);
    }
  },

  "are settled also late, when no other claim has followed": async ({ r, advance }) => {
    const claimed = await claimedRecord(r);
    advance(10 * minute);
    equal(
      [await r.records.settle(sample, claimed, "done"), (await r.records.count(sample)).count],
      [true, 0],
      "being done with it, and how many there are",
    );
  },

  "are settled no more when the record is over, and do not lengthen its time": async ({ r, advance }) => {
    const lifetime = 10 * minute;
    const claimed = await claimedRecord(r, "record", { lifetime });
    equal(await r.records.settle(sample, claimed, { dueIn: 9 * minute, value: "other" }), true, "settling it in time");
    advance(9 * minute + second);
    const [again] = await r.records.claim(sample, 1, hour);
    equal([again?.value, again?.claims], ["other", 2], "what is claimed before its end");
    advance(minute);
    equal((await r.records.count(sample)).count, 0, "how many there are after its end");
    equal(await r.records.settle(sample, again ?? claimed, { dueIn: 0 }), false, "settling it after its end");
  },

  "make a record due again when their delay is over, and others at their time": async ({ r, advance }) => {
    await putRecords(r, "one", "two");
    const [one, two] = [await claimFirst(r, minute), await claimFirst(r, minute)];
    equal(await r.records.settle(sample, one, { dueIn: 30 * minute }), true, "the first, due in half an hour");
    equal(await r.records.settle(sample, two, { dueIn: 10 * second }), true, "the second, due in ten seconds");
    equal(await r.records.claim(sample, 10, minute), [], "what is due at once");
    advance(11 * second);
    equal(idsOf(await r.records.claim(sample, 10, hour)), ["two"], "what is due after ten seconds");
    advance(29 * minute);
    equal(await r.records.claim(sample, 10, hour), [], "what is due before half an hour");
    advance(minute);
    const [due, ...others] = await r.records.claim(sample, 10, minute);
    equal([due?.id, due?.value, due?.claims, others], ["one", "one", 2, []], "what is due after half an hour");
  },

  "give their record another value, and go on with their version and their lease": async ({ r, advance }) => {
    await r.records.put(sample, "record", "first", { owner: "user:1" });
    const claimed = await claimFirst(r, 10 * minute);
    for (const value of ["second", false, { a: [null] }, "third", "third"])
      equal(await r.records.settle(sample, claimed, { value }), true, `settling it with ${JSON.stringify(value)}`);
    equal(await recordOf(r, "record"), { ...ageless(claimed), value: "third" }, "what is there");
    advance(10 * minute - 5 * second);
    equal(await r.records.claim(sample, 1, minute), [], "what is claimed before the lease is over");
    advance(10 * second);
    const [again] = await r.records.claim(sample, 1, minute);
    equal([again?.id, again?.value, again?.claims], ["record", "third", 2], "what is claimed when it is over");
  },

  "give their record another value and another time, or that time alone": async ({ r, advance }) => {
    const claimed = await claimedRecord(r);
    const settle = (dueIn: number, value?: string) =>
      r.records.settle(sample, claimed, value === undefined ? { dueIn } : { dueIn, value });
    equal(
      [await settle(0, "second"), await settle(hour), await settle(10 * minute, "third"), await settle(5 * minute)],
      [true, true, true, true],
      "settling it again and again",
    );
    equal(await r.records.claim(sample, 1, minute), [], "what can be claimed at once");
    const { version, value } = await recordOf(r, "record");
    equal([version, value], [claimed.version, "third"], "its version, and what it holds");
    advance(5 * minute + second);
    const again = await claimFirst(r, minute);
    equal([again.value, again.claims], ["third", 2], "what is claimed at the time that was named last");
    equal(await r.records.settle(sample, again, { dueIn: 0, value: "fourth" }), true, "settling that");
    const [later] = await r.records.claim(sample, 1, minute);
    equal([later?.value, later?.claims], ["fourth", 3], "what is claimed at once");
  },
});

export const recordClaimingChecks: readonly Check[] = [
  ...giving,
  ...settling,

  ...checksOf(
    section,
    {
      "do not wait for other claims": async ({ storage, r }) => {
        await putRecords(r, "one", "two");
        const seen = await whileOpen(
          storage,
          (inside) => inside.records.claim(sample, 1, minute),
          () => r.records.claim(sample, 10, minute),
          { turns: 20_000 },
        );
        equal(idsOf(seen), ["two"], "what is claimed while another one claims");
      },
    },
    { needs: "parallelTransactions" },
  ),

  ...checksOf(
    section,
    {
      "are one for several processes": async ({ r, another }) => {
        const other = (await another()).repositories;
        const of = (index: number) => (index % 2 === 0 ? r : other).records;
        const room = { ofOwner: 0, inAll: 7 };
        const outcomes = await atOnce(12, (index) =>
          of(index).putWithin(sample, `record ${index}`, index, { owner: `user:${index}`, room }),
        );
        equal([occurrences("stored", outcomes), occurrences("full", outcomes)], [7, 5], "how many were stored");
        const claimed: ClaimedRecord[] = [];
        for (let round = 0; round < 7 && claimed.length < 7; round += 1)
          claimed.push(...(await atOnce(4, (index) => of(index).claim(sample, 2, minute))).flat());
        equal(
          [claimed.length, new Set(idsOf(claimed)).size, new Set(claimed.map(({ version }) => version)).size],
          [7, 7, 7],
          "how many were claimed, and how many different ones and versions",
        );
        const [first] = claimed as [ClaimedRecord];
        const answers = await atOnce(6, (index) => of(index).settle(sample, first, "done"));
        equal(occurrences(true, answers), 1, "how many were done with the first");
        equal((await other.records.count(sample)).count, 6, "how many there are");
      },
    },
    { needs: "severalProcesses" },
  ),

  ...checksOf(
    section,
    {
      "still hold when the database is opened again, and give no version again": async ({ storage, r, reopen }) => {
        const claimed = await claimedRecord(r, "claimed");
        await r.records.put(sample, "put", { a: 1 }, { owner: "user:1", lifetime: hour });
        const put = await recordOf(r, "put");
        await putRecords(r, "taken");
        const { version } = await recordOf(r, "taken");
        await r.records.take(sample, "taken");
        await storage.close();
        const again = (await reopen()).repositories;
        equal((await again.records.count(sample)).count, 2, "how many there are");
        equal(await recordOf(again, "put"), put, "what was put");
        await putRecords(again, "new");
        const { version: later } = await recordOf(again, "new");
        holds(![version, put.version, claimed.version].includes(later), `${later} was never given before`);
        equal(idsOf(await again.records.claim(sample, 10, minute)), ["put", "new"], "what is claimed");
        equal(await again.records.settle(sample, claimed, "done"), true, "whether the claim still holds");
      },
    },
    { needs: "durable" },
  ),
];
