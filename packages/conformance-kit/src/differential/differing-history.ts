import fc from "fast-check";
import type { AdapterUnderTest } from "../adapter-under-test.ts";
import { same } from "../assert/same.ts";
import { randomHistories } from "./histories/random-history.ts";
import type { HistoryScenario } from "./histories/step.ts";
import { answersOf } from "./scenario.ts";

/** Plays random histories on two adapters; the first one of which different things come, or `null`. */
export async function differingHistory(
  [reference, adapter]: readonly [AdapterUnderTest, AdapterUnderTest],
  histories: number,
  seed: number,
): Promise<HistoryScenario | null> {
  const property = fc.asyncProperty(randomHistories(), async (history) => {
    const [expected, actual] = [await answersOf(reference, history), await answersOf(adapter, history)];
    return same(actual, expected);
  });
  const { counterexample } = await fc.check(property, { numRuns: histories, seed, endOnFailure: true });
  return counterexample?.[0] ?? null;
}
