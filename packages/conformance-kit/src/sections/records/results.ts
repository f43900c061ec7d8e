import { type Attempt, type RecordValue, type Repositories, seesAll } from "@sallyport/storage";
import { equal, equalInAnyOrder, equalToOneOf } from "../../assert/index.ts";
import type { Check } from "../../check.ts";
import { concurrently, whileOpen } from "../../fixtures/concurrently.ts";
import { errorOf } from "../../fixtures/error-of.ts";
import { createObject } from "../../fixtures/objects.ts";
import { rolledBack } from "../../fixtures/rolled-back.ts";
import { recordChecks, samplesOf } from "./samples.ts";

const quota = { perOwner: 1_000, total: 0 };

/** Claims a key, has an effect, and keeps the result, or returns the kept result. */
async function once(r: Repositories, result: RecordValue): Promise<RecordValue | undefined> {
  const records = samplesOf(r);
  const claimed = await records.putWithin("key", "claimed", { owner: "user:1", quota });
  if (claimed !== "stored") return (await records.get("key"))[0]?.value;
  await createObject(r);
  await records.put("key", result, { owner: "user:1" });
  return result;
}

/** Claims a key, and keeps a refusal, which undoes the effect. */
async function refused(r: Repositories, attempt: Attempt): Promise<void> {
  const records = samplesOf(r);
  await records.putWithin("key", "claimed", { owner: "user:1", quota });
  await errorOf(() =>
    attempt(async () => {
      await createObject(r);
      throw new Error("refused");
    }),
  );
  await records.put("key", "refused", { owner: "user:1" });
}

const effects = ({ objects }: Repositories) => objects.count({ classes: ["File"] }, seesAll);

export const requestResultChecks: readonly Check[] = recordChecks("results of requests", null, {
  "executes one of several concurrent transactions with a key and tells the others its result": async ({
    storage,
    r,
  }) => {
    const results = await concurrently(8, (index) => storage.transaction((inside) => once(inside, index)));
    equal(new Set(results).size, 1, "number of different results");
    equal(await effects(r), 1, "number of effects");
    equal((await samplesOf(r).of("key")).value, results[0], "the kept result");
  },

  "makes a repetition wait for the first transaction": async ({ storage, r, canOvertake }) => {
    const result = await whileOpen(
      storage,
      (inside) => once(inside, "first"),
      () => storage.transaction((inside) => once(inside, "again")),
      { reads: 50 },
    );
    equalToOneOf(result, ["first", ...(canOvertake ? ["again"] : [])], "the result of the repetition");
    equal(
      [(await samplesOf(r).of("key")).value, await effects(r)],
      [result, 1],
      "the kept result and the number of effects",
    );
  },

  "executes a repetition if the first transaction is rolled back": async ({ storage, r }) => {
    await rolledBack(storage, (inside) => once(inside, "lost"));
    const result = await whileOpen(
      storage,
      (inside) => once(inside, "lost as well"),
      () => storage.transaction((inside) => once(inside, "again")),
      { end: "rolled back", reads: 50 },
    );
    equal([result, await effects(r)], ["again", 1], "the result of the repetition and the number of effects");
  },

  "keeps a refusal without the effect that it undoes": async ({ storage, r }) => {
    await storage.transaction(refused);
    const again = await concurrently(2, () => storage.transaction((inside) => once(inside, "again")));
    equalInAnyOrder(again, ["refused", "refused"], "the results of two repetitions");
    equal(await effects(r), 0, "number of effects");
  },
});
