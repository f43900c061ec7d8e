import fc from "fast-check";
import type { AdapterUnderTest } from "../adapter-under-test.ts";
import { same } from "../assert/same.ts";
import { differingQuery } from "./differing-query.ts";
import { shrinkObjects } from "./shrink-objects.ts";
import { shrinkSteps } from "./shrink-steps.ts";
import { randomHistories } from "./histories/random-history.ts";
import type { HistoryScenario } from "./histories/step.ts";
import { answersOf, type Difference, type Scenario } from "./scenario.ts";

export interface DifferentialOptions {
  /** Number of random queries. */
  readonly runs: number;
  /** Number of random write histories; default: one for every twenty queries. */
  readonly histories?: number;
  /** An integer. The same seed finds the same difference. */
  readonly seed: number;
}

export interface DifferentialRun {
  readonly reference: string;
  readonly adapter: string;
  readonly queries: number;
  readonly histories: number;
  readonly seed: number;
  /** The smallest difference found. */
  readonly difference: Difference | null;
}

const queriesPerHistory = 20;

/** Compares an adapter with a reference by random queries and writes. Stops at the first difference and shrinks it. */
export async function compareAdapters(
  reference: AdapterUnderTest,
  adapter: AdapterUnderTest,
  { runs, seed, histories = Math.ceil(runs / queriesPerHistory) }: DifferentialOptions,
): Promise<DifferentialRun> {
  const adapters = [reference, adapter] as const;
  const parameters = { reference: reference.name, adapter: adapter.name, queries: runs, histories, seed };
  const differs = async (scenario: Scenario) => {
    const [expected, actual] = await outcomesOf(adapters, scenario);
    return !same(actual, expected);
  };
  const found = (await differingQuery(adapters, runs, seed)) ?? (await differingHistory(differs, histories, seed));
  if (found === null) return { ...parameters, difference: null };
  const scenario = found.kind === "query" ? await shrinkObjects(found, differs) : await shrinkSteps(found, differs);
  const [expected, actual] = await outcomesOf(adapters, scenario);
  return {
    ...parameters,
    difference: { reference: reference.name, adapter: adapter.name, seed, scenario, expected, actual },
  };
}

/** The smallest difference found, or `null`. */
export async function findDifference(...args: Parameters<typeof compareAdapters>): Promise<Difference | null> {
  return (await compareAdapters(...args)).difference;
}

/** Replays random histories. Returns the first one with different outcomes, or `null`. */
async function differingHistory(
  differs: (history: HistoryScenario) => Promise<boolean>,
  histories: number,
  seed: number,
): Promise<HistoryScenario | null> {
  const property = fc.asyncProperty(randomHistories(), async (history) => !(await differs(history)));
  const { counterexample } = await fc.check(property, { numRuns: histories, seed, endOnFailure: true });
  return counterexample?.[0] ?? null;
}

async function outcomesOf([reference, adapter]: readonly [AdapterUnderTest, AdapterUnderTest], scenario: Scenario) {
  return [await answersOf(reference, scenario), await answersOf(adapter, scenario)] as const;
}
