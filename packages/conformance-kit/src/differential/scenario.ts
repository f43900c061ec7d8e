import type { Storage } from "@sallyport/storage";
import type { AdapterUnderTest } from "../adapter-under-test.ts";
import { described } from "../assert/described.ts";
import { replayHistory } from "./histories/replay-history.ts";
import type { HistoryOutcome, HistoryScenario } from "./histories/step.ts";
import { createSample, runQuery } from "./queries/run-query.ts";
import type { QueryAnswers, QueryScenario } from "./queries/query-scenario.ts";
import { openUnderTest } from "../open-under-test.ts";
import { withinLimit } from "../within-limit.ts";

/** Operations on an empty storage, as JSON. */
export type Scenario = QueryScenario | HistoryScenario;

/** The outcome of a scenario as JSON, reduced to the data that all storages must agree on. */
export type Answers = QueryAnswers | HistoryOutcome | Failure;

/** The adapter failed during the scenario. */
export interface Failure {
  readonly failure: string;
}

/** A scenario with different answers from the adapter and the reference. */
export interface Difference {
  readonly reference: string;
  readonly adapter: string;
  /** Reproduces the difference. */
  readonly seed: number;
  /** The smallest differing scenario found. */
  readonly scenario: Scenario;
  /** The answers of the reference and of the adapter. */
  readonly expected: Answers;
  readonly actual: Answers;
}

/** Runs a scenario on a new database of the adapter. Storage errors become a `Failure`. */
export async function answersOf(adapter: AdapterUnderTest, scenario: Scenario): Promise<Answers> {
  let offset = 0;
  const { underTest } = await openUnderTest(adapter, { clockOffset: () => offset, migrated: true });
  const { storage, destroy } = underTest;
  try {
    await storage.migrate();
    return await withinLimit(
      adapter,
      runScenario(storage, scenario, (milliseconds) => (offset += milliseconds)),
    );
  } catch (error) {
    return failureOf(error);
  } finally {
    await destroy();
  }
}

async function runScenario(
  storage: Storage,
  scenario: Scenario,
  advance: (milliseconds: number) => void,
): Promise<Answers> {
  if (scenario.kind === "history") return replayHistory(storage, scenario, advance);
  return runQuery(storage, await createSample(storage, scenario), scenario);
}

export function failureOf(error: unknown): Failure {
  return { failure: described(error) };
}
