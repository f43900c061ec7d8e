import type { Storage } from "@sallyport/core";
import type { AdapterUnderTest } from "../adapter-under-test.ts";
import { described } from "../assert/described.ts";
import { replayHistory } from "./histories/replay-history.ts";
import type { HistoryOutcome, HistoryScenario } from "./histories/step.ts";
import { createSample, runQuery } from "./queries/run-query.ts";
import type { QueryAnswers, QueryScenario } from "./queries/query-scenario.ts";
import { withinLimit } from "../within-limit.ts";

/** What can be done with an empty storage, as JSON. */
export type Scenario = QueryScenario | HistoryScenario;

/** What comes of a scenario, as JSON, without anything that two storages need not have in common. */
export type Answers = QueryAnswers | HistoryOutcome | Failure;

/** The adapter could not go through with it. */
export interface Failure {
  readonly failure: string;
}

/** Something that an adapter does otherwise than the reference. */
export interface Difference {
  readonly reference: string;
  readonly adapter: string;
  /** With which it was found, and is found again. */
  readonly seed: number;
  /** The smallest one that was found. */
  readonly scenario: Scenario;
  /** What comes of it with the reference, and with the adapter. */
  readonly expected: Answers;
  readonly actual: Answers;
}

/** Plays a scenario on a new database of the adapter. Never throws for what the storage does. */
export async function answersOf(adapter: AdapterUnderTest, scenario: Scenario): Promise<Answers> {
  let offset = 0;
  const { storage, destroy } = await adapter.create({ clockOffset: () => offset, migrated: true });
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

/** An error as an answer. */
export function failureOf(error: unknown): Failure {
  return { failure: described(error) };
}
