import type { PutOptions, PutOutcome, Repositories } from "@sallyport/core";
import { equal, holds } from "../../assert/index.ts";
import { type Check, checksOf } from "../../check.ts";
import { atOnce, occurrences, whileOpen } from "../../fixtures/at-once.ts";
import { errorOf } from "../../fixtures/error-of.ts";
import { hour, minute } from "../../fixtures/policy.ts";
import { putRecords, recordOf, sample } from "../../fixtures/records.ts";

function put(
  { records }: Repositories,
  value: string,
  ifVersion: PutOptions["ifVersion"] & (string | number),
): Promise<PutOutcome> {
  return records.put(sample, "record", value, { ifVersion });
}

export const recordVersionChecks: readonly Check[] = checksOf("records", {
  "are put on the condition that none is there, that any is, or that it has a version": async ({ r }) => {
    equal([await put(r, "none", 1), await r.records.get(sample, ["record"])], ["stale", []], "a version of none");
    equal(await put(r, "one", "none"), "stored", "none, where none is there");
    equal(await put(r, "two", "none"), "exists", "none, where one is there");
    const one = await recordOf(r, "record");
    equal(one.value, "one", "what is there");
    equal(await put(r, "two", one.version), "stored", "the version that is there");
    equal(await put(r, "three", one.version), "stale", "the version before");
    const two = await recordOf(r, "record");
    equal(two.value, "two", "what is there then");
    equal(await put(r, "three", two.version + 1_000_000), "stale", "a version that was never given");
    equal(await put(r, "three", "any"), "stored", "any, where one is there");
    const three = await recordOf(r, "record");
    equal(three.value, "three", "what is there in the end");
    await r.records.take(sample, "record");
    equal(await put(r, "four", three.version), "stale", "the version of one that was taken");
    equal(await r.records.get(sample, ["record"]), [], "what is there when it was taken");
    equal(await put(r, "four", "any"), "stored", "any, where none is there");
    equal(await put(r, "five", three.version), "stale", "the version of one that was there before");
    equal((await recordOf(r, "record")).value, "four", "what is there anew");
  },

  "keep their owner and their end when they are not put": async ({ r, advance }) => {
    await r.records.put(sample, "record", 1, { owner: "user:1", lifetime: hour });
    const before = await recordOf(r, "record");
    const refused = { owner: "user:2", lifetime: minute };
    equal(await r.records.put(sample, "record", 2, { ...refused, ifVersion: "none" }), "exists", "putting a second");
    equal(await r.records.put(sample, "record", 2, { ...refused, ifVersion: before.version + 1 }), "stale", "another");
    const room = { ofOwner: 0, inAll: 0 };
    equal(
      await r.records.putWithin(sample, "record", 2, { owner: "user:2", lifetime: minute, room }),
      "exists",
      "putting one within room",
    );
    advance(2 * minute);
    equal(await recordOf(r, "record"), before, "what is there");
  },

  "are put once of many puts at once where none is to be there": async ({ r }) => {
    for (let round = 0; round < 4; round += 1) {
      const id = `record ${round}`;
      const outcomes = await atOnce(12, (index) => r.records.put(sample, id, index, { ifVersion: "none" }));
      equal([occurrences("stored", outcomes), occurrences("exists", outcomes)], [1, 11], "how many were stored");
      equal((await recordOf(r, id)).value, outcomes.indexOf("stored"), "whose it is");
    }
  },

  "are put once of many puts at once in the place of one version": async ({ r }) => {
    await putRecords(r, "record");
    for (let round = 0; round < 4; round += 1) {
      const { version, born } = await recordOf(r, "record");
      const outcomes = await atOnce(12, (index) => put(r, `${round} ${index}`, version));
      equal([occurrences("stored", outcomes), occurrences("stale", outcomes)], [1, 11], "how many were stored");
      const now = await recordOf(r, "record");
      equal([now.value, now.born], [`${round} ${outcomes.indexOf("stored")}`, born], "whose it is");
    }
  },

  "are put by every one of many puts at once that have no condition": async ({ r }) => {
    const outcomes = await atOnce(12, (index) => r.records.put(sample, "record", index));
    equal(occurrences("stored", outcomes), 12, "how many were stored");
    const { value } = await recordOf(r, "record");
    holds(typeof value === "number" && value >= 0 && value < 12, "One of the values is there");
    equal((await r.records.count(sample)).count, 1, "how many there are");
  },

  "lose no update of many at once that are tried again when they are stale": async ({ r }) => {
    await r.records.put(sample, "counter", 0);
    const countUp = async () => {
      for (let round = 0; round < 100; round += 1) {
        const { version, value } = await recordOf(r, "counter");
        if ((await r.records.put(sample, "counter", Number(value) + 1, { ifVersion: version })) === "stored") return;
      }
    };
    await atOnce(8, countUp);
    equal((await recordOf(r, "counter")).value, 8, "how often it was counted");
  },

  "are stale or there already when another has put one meanwhile, and not when that is taken back": async ({
    storage,
    r,
  }) => {
    for (const [end, expected] of [
      ["taken back", ["stored", "stored"]],
      ["kept", ["exists", "stale"]],
    ] as const) {
      await putRecords(r, "record");
      const { version } = await recordOf(r, "record");
      const outcomes = await whileOpen(
        storage,
        async (inside) => {
          await inside.records.put(sample, "new", "open", { ifVersion: "none" });
          await put(inside, "open", version);
        },
        async () => [
          await r.records.put(sample, "new", "meanwhile", { ifVersion: "none" }),
          await put(r, "meanwhile", version),
        ],
        { end, turns: 50 },
      );
      equal(outcomes, expected, `those that are put meanwhile, when it is ${end}`);
      await r.records.remove(sample, { ids: ["new"] });
    }
  },

  "have another version after every write and every claim, which none had before": async ({ storage, r }) => {
    const seen: number[] = [];
    const note = async (from: Repositories, kind: string, id: string) => {
      const { version } = await recordOf(from, id, kind);
      holds(Number.isSafeInteger(version), `${version} is a whole number`);
      holds(!seen.includes(version), `${version} was never seen before`);
      seen.push(version);
    };
    for (const kind of [sample, "mail"]) {
      for (const id of ["one", "two"]) {
        await r.records.put(kind, id, 1);
        await note(r, kind, id);
        await r.records.put(kind, id, 1);
        await note(r, kind, id);
        const [claimed] = await r.records.claim(kind, 1, minute);
        await note(r, kind, id);
        equal(claimed?.version, seen.at(-1), "the version that the claim tells");
        await r.records.putWithin(kind, `${id} within`, 1, { owner: "user:1", room: { ofOwner: 0, inAll: 0 } });
        await note(r, kind, `${id} within`);
        await r.records.claim(kind, 10, minute);
        await note(r, kind, `${id} within`);
      }
      await r.records.remove(kind, { ids: ["one", "two"] });
      await r.records.remove(kind, { owner: "user:1" });
    }
    for (let round = 0; round < 3; round += 1) {
      await putRecords(r, "again");
      await note(r, sample, "again");
      await r.records.take(sample, "again");
    }
    const failed = storage.transaction(async (inside) => {
      await putRecords(inside, "undone");
      await note(inside, sample, "undone");
      throw new Error("undone");
    });
    await errorOf(() => failed);
    await storage.transaction(async (inside, attempt) => {
      await errorOf(() =>
        attempt(async () => {
          await putRecords(inside, "undone");
          await note(inside, sample, "undone");
          throw new Error("undone");
        }),
      );
      await putRecords(inside, "afterwards");
      await note(inside, sample, "afterwards");
    });
    await putRecords(r, "in the end");
    await note(r, sample, "in the end");
  },

  "keep the version with which they began until they end": async ({ r }) => {
    await putRecords(r, "record", "other");
    const first = await recordOf(r, "record");
    equal(first.born, first.version, "the version with which it began");
    for (const write of [
      () => putRecords(r, "record"),
      () => put(r, "second", "any"),
      async () => put(r, "third", (await recordOf(r, "record")).version),
      () => r.records.claim(sample, 10, minute),
      async () => r.records.settle(sample, await recordOf(r, "record"), { dueIn: 0, value: "fourth" }),
    ]) {
      await write();
      equal((await recordOf(r, "record")).born, first.born, "the version with which it began, afterwards");
    }
    const born = [first.born];
    for (const end of [
      () => r.records.take(sample, "record"),
      () => r.records.remove(sample, { ids: ["record"] }),
      async () => {
        await r.records.claim(sample, 10, minute);
        await r.records.settle(sample, await recordOf(r, "record"), "done");
      },
    ]) {
      await end();
      await putRecords(r, "record");
      const again = await recordOf(r, "record");
      equal(again.born, again.version, "the version with which it begins anew");
      holds(!born.includes(again.born), `${again.born} is another one than before`);
      born.push(again.born);
    }
  },

  "are put twice in a transaction as outside of one": async ({ storage, r }) => {
    const version = await storage.transaction(async (inside) => {
      equal(
        [await put(inside, "one", "none"), await put(inside, "two", "none")],
        ["stored", "exists"],
        "where none is",
      );
      const one = await recordOf(inside, "record");
      equal(
        [await put(inside, "two", one.version), await put(inside, "three", one.version)],
        ["stored", "stale"],
        "where one version is",
      );
      const two = await recordOf(inside, "record");
      equal([two.value, two.born], ["two", one.born], "what is there inside");
      await inside.records.take(sample, "record");
      equal(await put(inside, "three", two.version), "stale", "the version of one that was taken inside");
      equal(await put(inside, "four", "none"), "stored", "where none is any more");
      return (await recordOf(inside, "record")).version;
    });
    const left = await recordOf(r, "record");
    equal([left.value, left.version], ["four", version], "what is there");
  },
});
