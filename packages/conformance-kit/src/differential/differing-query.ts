import fc from "fast-check";
import type { AdapterUnderTest, StorageUnderTest } from "../adapter-under-test.ts";
import { declaredBy, openUnderTest } from "../open-under-test.ts";
import { same } from "../assert/same.ts";
import { createSample, runQuery } from "./queries/run-query.ts";
import type { QueryScenario } from "./queries/query-scenario.ts";
import { objectSets } from "./queries/random-objects.ts";
import { randomQueries } from "./queries/random-queries.ts";
import { failureOf } from "./scenario.ts";

const queriesPerSet = 25;

/** Finds the first random query that two adapters with equal objects answer differently. Shrinks it; `null` if none. */
export async function differingQuery(
  adapters: readonly [AdapterUnderTest, AdapterUnderTest],
  queries: number,
  seed: number,
): Promise<QueryScenario | null> {
  const { valueIndexes } = (await declaredBy(adapters[1])).capabilities;
  for (let set = 0; set * queriesPerSet < queries; set += 1) {
    const [objects = []] = fc.sample(objectSets(), { numRuns: 1, seed: seed + set });
    // Every second set has no indexes: a query must not depend on one.
    const data = { objects, indexed: valueIndexes && set % 2 === 1 };
    const found = await ofOneSet(adapters, data, {
      numRuns: Math.min(queriesPerSet, queries - set * queriesPerSet),
      seed: seed + set,
    });
    if (found !== null) return found;
  }
  return null;
}

async function ofOneSet(
  adapters: readonly AdapterUnderTest[],
  data: Pick<QueryScenario, "objects" | "indexed">,
  how: { readonly numRuns: number; readonly seed: number },
): Promise<QueryScenario | null> {
  const opened: StorageUnderTest[] = [];
  try {
    for (const adapter of adapters)
      opened.push((await openUnderTest(adapter, { clockOffset: () => 0, migrated: true })).underTest);
    const filled = await Promise.all(
      opened.map(async ({ storage }) => {
        await storage.migrate();
        return createSample(storage, data).catch(failureOf);
      }),
    );
    const answer = (scenario: Pick<QueryScenario, "query" | "visibility" | "limit">) =>
      Promise.all(
        opened.map(({ storage }, index) => {
          const ids = filled[index];
          return Array.isArray(ids) ? runQuery(storage, ids, scenario).catch(failureOf) : ids;
        }),
      );
    const property = fc.asyncProperty(randomQueries(), async (scenario) => {
      const [expected, actual] = await answer(scenario);
      return same(actual, expected);
    });
    const { counterexample } = await fc.check(property, how);
    // Without indexes, the database can be reused, which is faster than creating a new one.
    if (data.indexed) await Promise.all(opened.map(({ storage }) => storage.alignIndexes([])));
    const [scenario] = counterexample ?? [];
    return scenario === undefined ? null : { kind: "query", ...data, ...scenario };
  } finally {
    await Promise.all(opened.map(({ destroy }) => destroy()));
  }
}
