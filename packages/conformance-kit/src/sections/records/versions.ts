import type { PutOptions, Repositories } from "@sallyport/core";
import { equal, holds } from "../../assert/index.ts";
import type { Check } from "../../check.ts";
import { atOnce, occurrences, whileOpen } from "../../fixtures/concurrently.ts";
import { equalCounts } from "../../fixtures/lists.ts";
import { hour, minute } from "../../fixtures/policy.ts";
import { rolledBack, undone } from "../../fixtures/rolled-back.ts";
import { recordChecks, sample, samplesOf } from "./samples.ts";

const put = (r: Repositories, value: string, ifVersion: Required<PutOptions>["ifVersion"]) =>
  samplesOf(r).put("record", value, { ifVersion });

export const recordVersionChecks: readonly Check[] = recordChecks("records", null, {
  "are put on the condition that none is there, that any is, or that it has a version": async ({ s, r }) => {
    equal([await put(r, "none", 1), await s.get("record")], ["stale", []], "a version of none");
    equal(await put(r, "one", "none"), "stored", "none, where none is there");
    equal(await put(r, "two", "none"), "exists", "none, where one is there");
    const one = await s.of("record");
    equal(one.value, "one", "what is there");
    equal(await put(r, "two", one.version), "stored", "the version that is there");
    equal(await put(r, "three", one.version), "stale", "the version before");
    const two = await s.of("record");
    equal(two.value, "two", "what is there then");
    equal(await put(r, "three", two.version + 1_000_000), "stale", "a version that was never given");
    equal(await put(r, "three", "any"), "stored", "any, where one is there");
    const three = await s.of("record");
    equal(three.value, "three", "what is there in the end");
    await s.take("record");
    equal(await put(r, "four", three.version), "stale", "the version of one that was taken");
    equal(await s.get("record"), [], "what is there when it was taken");
    equal(await put(r, "four", "any"), "stored", "any, where none is there");
    equal(await put(r, "five", three.version), "stale", "the version of one that was there before");
    equal((await s.of("record")).value, "four", "what is there anew");
  },

  "keep their owner and their end when they are not put": async ({ s, advance }) => {
    await s.put("record", 1, { owner: "user:1", lifetime: hour });
    const before = await s.of("record");
    const refused = { owner: "user:2", lifetime: minute };
    equal(await s.put("record", 2, { ...refused, ifVersion: "none" }), "exists", "putting a second");
    equal(await s.put("record", 2, { ...refused, ifVersion: before.version + 1 }), "stale", "another");
    const quota = { ofOwner: 0, inAll: 0 };
    equal(await s.putWithin("record", 2, { ...refused, quota }), "exists", "putting one within room");
    advance(2 * minute);
    equal(await s.of("record"), before, "what is there");
  },

  "are put once of many puts at once where none is to be there": async ({ s }) => {
    for (let round = 0; round < 4; round += 1) {
      const id = `record ${round}`;
      const outcomes = await atOnce(12, (index) => s.put(id, index, { ifVersion: "none" }));
      equalCounts(outcomes, { stored: 1, exists: 11 }, "how many were stored");
      equal((await s.of(id)).value, outcomes.indexOf("stored"), "whose it is");
    }
  },

  "are put once of many puts at once in the place of one version": async ({ s, r }) => {
    await s.fill("record");
    for (let round = 0; round < 4; round += 1) {
      const { version, born } = await s.of("record");
      const outcomes = await atOnce(12, (index) => put(r, `${round} ${index}`, version));
      equalCounts(outcomes, { stored: 1, stale: 11 }, "how many were stored");
      const now = await s.of("record");
      equal([now.value, now.born], [`${round} ${outcomes.indexOf("stored")}`, born], "whose it is");
    }
  },

  "are put by every one of many puts at once that have no condition": async ({ s }) => {
    const outcomes = await atOnce(12, (index) => s.put("record", index));
    equal(occurrences("stored", outcomes), 12, "how many were stored");
    const { value } = await s.of("record");
    holds(typeof value === "number" && value >= 0 && value < 12, "One of the values is there");
    equal(await s.size(), 1, "how many there are");
  },

  "lose no update of many at once that are tried again when they are stale": async ({ s }) => {
    await s.put("counter", 0);
    const countUp = async () => {
      for (let round = 0; round < 100; round += 1) {
        const { version, value } = await s.of("counter");
        if ((await s.put("counter", Number(value) + 1, { ifVersion: version })) === "stored") return;
      }
    };
    await atOnce(8, countUp);
    equal((await s.of("counter")).value, 8, "how often it was counted");
  },

  "are stale or there already when another has put one meanwhile, and not when that is taken back": async ({
    storage,
    s,
    r,
  }) => {
    for (const [end, expected] of [
      ["taken back", ["stored", "stored"]],
      ["kept", ["exists", "stale"]],
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
        { end, turns: 50 },
      );
      equal(outcomes, expected, `those that are put meanwhile, when it is ${end}`);
      await s.remove({ ids: ["new"] });
    }
  },

  "have another version after every write and every claim, which none had before": async ({ storage, s, r }) => {
    const seen: number[] = [];
    const note = async (from: Repositories, kind: string, id: string) => {
      const { version } = await samplesOf(from, kind).of(id);
      holds(Number.isSafeInteger(version), `${version} is a whole number`);
      holds(!seen.includes(version), `${version} was never seen before`);
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
        equal(claimed?.version, seen.at(-1), "the version that the claim tells");
        await records.putWithin(`${id} within`, 1, { owner: "user:1", quota: { ofOwner: 0, inAll: 0 } });
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
      await undone(attempt, () => fill(inside, "undone"));
      await fill(inside, "afterwards");
    });
    await fill(r, "in the end");
  },

  "keep the version with which they began until they end": async ({ s, r }) => {
    await s.fill("record", "other");
    const first = await s.of("record");
    equal(first.born, first.version, "the version with which it began");
    for (const write of [
      () => s.fill("record"),
      () => put(r, "second", "any"),
      async () => put(r, "third", (await s.of("record")).version),
      () => s.claim(10),
      async () => s.settle(await s.of("record"), { dueIn: 0, value: "fourth" }),
    ]) {
      await write();
      equal((await s.of("record")).born, first.born, "the version with which it began, afterwards");
    }
    const born = [first.born];
    for (const end of [
      () => s.take("record"),
      () => s.remove({ ids: ["record"] }),
      async () => s.claim(10).then(async () => s.settle(await s.of("record"), "done")),
    ]) {
      await end();
      await s.fill("record");
      const again = await s.of("record");
      equal(again.born, again.version, "the version with which it begins anew");
      holds(!born.includes(again.born), `${again.born} is another one than before`);
      born.push(again.born);
    }
  },

  "are put twice in a transaction as outside of one": async ({ storage, s }) => {
    const version = await storage.transaction(async (inside) => {
      const inner = samplesOf(inside);
      equal(await put(inside, "one", "none"), "stored", "where none is");
      equal(await put(inside, "two", "none"), "exists", "where none was");
      const one = await inner.of("record");
      equal(await put(inside, "two", one.version), "stored", "where one version is");
      equal(await put(inside, "three", one.version), "stale", "where one version was");
      const two = await inner.of("record");
      equal([two.value, two.born], ["two", one.born], "what is there inside");
      await inner.take("record");
      equal(await put(inside, "three", two.version), "stale", "the version of one that was taken inside");
      equal(await put(inside, "four", "none"), "stored", "where none is any more");
      return (await inner.of("record")).version;
    });
    const left = await s.of("record");
    equal([left.value, left.version], ["four", version], "what is there");
  },
});
