import type { PutOptions, Repositories } from "@sallyport/storage";
import { equal, equalToOneOf, isTrue } from "../../assert/index.ts";
import type { Check } from "../../check.ts";
import { concurrently, occurrences, whileOpen } from "../../fixtures/concurrently.ts";
import { equalCounts } from "../../fixtures/lists.ts";
import { hour, minute } from "../../fixtures/policy.ts";
import { rolledBack, rollBackNested } from "../../fixtures/rolled-back.ts";
import { recordChecks, sample, samplesOf } from "./samples.ts";

const put = (r: Repositories, value: string, ifVersion: Required<PutOptions>["ifVersion"]) =>
  samplesOf(r).put("record", value, { ifVersion });

export const recordVersionChecks: readonly Check[] = recordChecks("records", null, {
  "puts a record on condition that none, any or a given version exists": async ({ s, r }) => {
    equal(
      [await put(r, "none", 1), await s.get("record")],
      ["stale", []],
      "the outcome of a version of an absent record",
    );
    equal(await put(r, "one", "none"), "stored", "the outcome of none for an absent record");
    equal(await put(r, "two", "none"), "exists", "the outcome of none for an existing record");
    const one = await s.of("record");
    equal(one.value, "one", "the record");
    equal(await put(r, "two", one.version), "stored", "the outcome of the current version");
    equal(await put(r, "three", one.version), "stale", "the outcome of the previous version");
    const two = await s.of("record");
    equal(two.value, "two", "the record after the second put");
    equal(await put(r, "three", two.version + 1_000_000), "stale", "the outcome of an unknown version");
    equal(await put(r, "three", "any"), "stored", "the outcome of any for an existing record");
    const three = await s.of("record");
    equal(three.value, "three", "the record after the third put");
    await s.take("record");
    equal(await put(r, "four", three.version), "stale", "the outcome of the version of a taken record");
    equal(await s.get("record"), [], "the taken record");
    equal(await put(r, "four", "any"), "stored", "the outcome of any for an absent record");
    equal(await put(r, "five", three.version), "stale", "the outcome of the version of a former record");
    equal((await s.of("record")).value, "four", "the new record");
  },

  "keeps owner and lifetime if a put is refused": async ({ s, advance }) => {
    await s.put("record", 1, { owner: "user:1", lifetime: hour });
    const before = await s.of("record");
    const refused = { owner: "user:2", lifetime: minute };
    equal(await s.put("record", 2, { ...refused, ifVersion: "none" }), "exists", "the outcome of the second put");
    equal(await s.put("record", 2, { ...refused, ifVersion: before.version + 1 }), "stale", "another");
    const quota = { perOwner: 0, total: 0 };
    equal(await s.putWithin("record", 2, { ...refused, quota }), "exists", "the outcome of a put within a quota");
    advance(2 * minute);
    equal(await s.of("record"), before, "the record");
  },

  "stores one of several concurrent puts on condition that none exists": async ({ s }) => {
    for (let round = 0; round < 4; round += 1) {
      const id = `record ${round}`;
      const outcomes = await concurrently(12, (index) => s.put(id, index, { ifVersion: "none" }));
      equalCounts(outcomes, { stored: 1, exists: 11 }, "numbers of stored and refused puts");
      equal((await s.of(id)).value, outcomes.indexOf("stored"), "the value of the record");
    }
  },

  "stores one of several concurrent puts over the same version": async ({ s, r }) => {
    await s.fill("record");
    for (let round = 0; round < 4; round += 1) {
      const { version, createdVersion } = await s.of("record");
      const outcomes = await concurrently(12, (index) => put(r, `${round} ${index}`, version));
      equalCounts(outcomes, { stored: 1, stale: 11 }, "numbers of stored and refused puts");
      const now = await s.of("record");
      equal(
        [now.value, now.createdVersion],
        [`${round} ${outcomes.indexOf("stored")}`, createdVersion],
        "the value of the record",
      );
    }
  },

  "stores every one of several concurrent unconditional puts": async ({ s }) => {
    const outcomes = await concurrently(12, (index) => s.put("record", index));
    equal(occurrences("stored", outcomes), 12, "number of stored puts");
    const { value } = await s.of("record");
    isTrue(typeof value === "number" && value >= 0 && value < 12, "The value must be one of the stored ones");
    equal(await s.size(), 1, "number of records");
  },

  "loses no update when stale puts are retried": async ({ s }) => {
    await s.put("counter", 0);
    const countUp = async () => {
      for (let round = 0; round < 100; round += 1) {
        const { version, value } = await s.of("counter");
        if ((await s.put("counter", Number(value) + 1, { ifVersion: version })) === "stored") return;
      }
    };
    await concurrently(8, countUp);
    equal((await s.of("counter")).value, 8, "the counter");
  },

  "decides a conditional put after a concurrent transaction ends": async ({ storage, s, r, canOvertake }) => {
    for (const [end, expected] of [
      ["rolled back", ["stored", "stored"]],
      ["committed", ["exists", "stale"]],
    ] as const) {
      await s.fill("record");
      const { version } = await s.of("record");
      const outcomes = await whileOpen(
        storage,
        async (inside) => {
          await samplesOf(inside).put("new", "open", { ifVersion: "none" });
          await put(inside, "open", version);
        },
        async () => [await s.put("new", "meanwhile", { ifVersion: "none" }), await put(r, "meanwhile", version)],
        { end, reads: 50 },
      );
      for (const [index, outcome] of outcomes.entries())
        equalToOneOf(
          outcome,
          [expected[index], ...(canOvertake ? ["stored"] : [])],
          `the outcome of put ${index + 1} when the transaction is ${end}`,
        );
      await s.remove({ ids: ["new"] });
    }
  },

  "gives a record a new, never reused version with every write and claim": async ({ storage, s, r }) => {
    const seen: number[] = [];
    const note = async (from: Repositories, kind: string, id: string) => {
      const { version } = await samplesOf(from, kind).of(id);
      isTrue(Number.isSafeInteger(version), `The version ${version} must be a whole number`);
      isTrue(!seen.includes(version), `The version ${version} must be new`);
      seen.push(version);
    };
    for (const kind of [sample, "mail"]) {
      const records = samplesOf(r, kind);
      for (const id of ["one", "two"]) {
        await records.put(id, 1);
        await note(r, kind, id);
        await records.put(id, 1);
        await note(r, kind, id);
        const [claimed] = await records.claim(1);
        await note(r, kind, id);
        equal(claimed?.version, seen.at(-1), "the version in the claim");
        await records.putWithin(`${id} within`, 1, { owner: "user:1", quota: { perOwner: 0, total: 0 } });
        await note(r, kind, `${id} within`);
        await records.claim(10);
        await note(r, kind, `${id} within`);
      }
      await records.remove({ ids: ["one", "two"] });
      await records.remove({ owner: "user:1" });
    }
    const fill = async (from: Repositories, id: string) => {
      await samplesOf(from).fill(id);
      await note(from, sample, id);
    };
    for (let round = 0; round < 3; round += 1) {
      await fill(r, "again");
      await s.take("again");
    }
    await rolledBack(storage, (inside) => fill(inside, "undone"));
    await storage.transaction(async (inside, attempt) => {
      await rollBackNested(attempt, () => fill(inside, "undone"));
      await fill(inside, "afterwards");
    });
    await fill(r, "in the end");
  },

  "keeps the first version of a record until the record ends": async ({ s, r }) => {
    await s.fill("record", "other");
    const first = await s.of("record");
    equal(first.createdVersion, first.version, "the first version");
    for (const write of [
      () => s.fill("record"),
      () => put(r, "second", "any"),
      async () => put(r, "third", (await s.of("record")).version),
      () => s.claim(10),
      async () => s.settle(await s.of("record"), { dueIn: 0, value: "fourth" }),
    ]) {
      await write();
      equal((await s.of("record")).createdVersion, first.createdVersion, "the first version after another write");
    }
    const createdVersions = [first.createdVersion];
    for (const end of [
      () => s.take("record"),
      () => s.remove({ ids: ["record"] }),
      async () => s.claim(10).then(async () => s.settle(await s.of("record"), "done")),
    ]) {
      await end();
      await s.fill("record");
      const again = await s.of("record");
      equal(again.createdVersion, again.version, "the first version of the new record");
      isTrue(!createdVersions.includes(again.createdVersion), `The first version ${again.createdVersion} must be new`);
      createdVersions.push(again.createdVersion);
    }
  },

  "applies the same conditions to repeated puts in a transaction": async ({ storage, s }) => {
    const version = await storage.transaction(async (inside) => {
      const inner = samplesOf(inside);
      equal(await put(inside, "one", "none"), "stored", "the outcome of none for an absent record");
      equal(await put(inside, "two", "none"), "exists", "the outcome of none for an existing record");
      const one = await inner.of("record");
      equal(await put(inside, "two", one.version), "stored", "the outcome of the current version");
      equal(await put(inside, "three", one.version), "stale", "the outcome of the previous version");
      const two = await inner.of("record");
      equal([two.value, two.createdVersion], ["two", one.createdVersion], "the record inside the transaction");
      await inner.take("record");
      equal(await put(inside, "three", two.version), "stale", "the outcome of the version of a taken record");
      equal(await put(inside, "four", "none"), "stored", "the outcome of none after a take");
      return (await inner.of("record")).version;
    });
    const left = await s.of("record");
    equal([left.value, left.version], ["four", version], "the record");
  },
});
