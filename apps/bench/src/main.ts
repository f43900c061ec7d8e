import { mkdir } from "node:fs/promises";
import { availableParallelism, loadavg } from "node:os";
import { benchOptions } from "./bench-options.ts";
import type { ComparisonPlan } from "./comparison/compare-candidates.ts";
import { measureInTurn, reasonAgainstTurns } from "./comparison/compare-builds.ts";
import { isWorse, moveTable, movesAgainstLimits, movesInTurn } from "./comparison/moves.ts";
import { type Outcome, page, verdictOn } from "./comparison/outcome.ts";
import { readRun, writeRun } from "./comparison/run-file.ts";
import { turnsOf } from "./comparison/turns.ts";
import { archiveScenario } from "./scenarios/archive-scenario.ts";
import { fileScenario } from "./scenarios/file-scenario.ts";
import { gateScenario } from "./scenarios/gate-scenario.ts";
import {
  listScenario,
  modeReadScenario,
  multiScenario,
  readScenario,
  workersScenario,
} from "./scenarios/read-scenarios.ts";
import { logInScenario, modeLogInScenario } from "./scenarios/log-in-scenarios.ts";
import { largeScenario } from "./scenarios/large-scenario.ts";
import { macroScenario } from "./scenarios/macro-scenario.ts";
import { memoryScenario } from "./scenarios/memory-scenario.ts";
import { providerScenario } from "./scenarios/provider-scenario.ts";
import { queryScenario } from "./scenarios/query-scenario.ts";
import { scaleScenario } from "./scenarios/scale-scenario.ts";
import { seatScenario } from "./scenarios/seat-scenario.ts";
import { syncScenario } from "./scenarios/sync-scenario.ts";
import { startScenario } from "./scenarios/start-scenario.ts";
import { writeScenario } from "./scenarios/write-scenario.ts";
import { BenchEnvironment } from "./comparison/bench-environment.ts";

const scenarios = [
  startScenario,
  readScenario,
  workersScenario,
  multiScenario,
  listScenario,
  writeScenario,
  queryScenario,
  logInScenario,
  seatScenario,
  gateScenario,
  providerScenario,
  modeReadScenario,
  modeLogInScenario,
  scaleScenario,
  archiveScenario,
  macroScenario,
  fileScenario,
  memoryScenario,
  syncScenario,
  largeScenario,
];

const options = benchOptions(
  process.argv.slice(2),
  scenarios.map(({ name }) => name),
);
const selected = scenarios.filter(({ name, isOnDemand = false }) =>
  options.only === undefined ? !isOnDemand : options.only === name,
);
const { quick, size } = options;
const rounds = quick ? { rounds: 2, seconds: 1, warmUp: 1 } : { rounds: 6, seconds: 2, warmUp: 2 };
const plan: ComparisonPlan = {
  quick,
  size,
  ...rounds,
  ...(options.profile === undefined ? {} : { profiles: options.profile }),
  turn: turnsOf(process),
};

/** Scenarios that ended with an error. The page of the others is printed all the same. */
const failures: string[] = [];

/** Runs the selected scenarios with this build. */
async function measure(): Promise<Outcome[]> {
  if (options.profile !== undefined) await mkdir(options.profile, { recursive: true });
  const startedAt = performance.now();
  const outcomes: Outcome[] = [];
  const bench = await BenchEnvironment.open();
  // An interrupted bench does not finish the round. Shells expect 130 after SIGINT.
  const stop = () => void bench.close().finally(() => process.exit(130));
  process.once("SIGINT", stop).once("SIGTERM", stop);
  // The bench that lets this one take turns is gone.
  process.once("disconnect", stop);
  try {
    for (const scenario of selected) {
      console.error(`${((performance.now() - startedAt) / 1000).toFixed(0)} s: ${scenario.name}`);
      try {
        outcomes.push(...(await scenario.run(bench, plan)));
      } catch (error) {
        console.error(error);
        failures.push(`${scenario.name}: ${String(error)}`);
      }
    }
  } finally {
    await bench.close();
  }
  return outcomes;
}

/** Reports what moved against an earlier run. Returns whether a row is worse. */
async function compare(file: string): Promise<boolean> {
  const earlier = await readRun(file);
  const reason = await reasonAgainstTurns(earlier);
  if (reason !== null) console.error(`${reason} The costs are compared as multiples of those of their limits.`);
  const { before, after } =
    reason === null
      ? await measureInTurn(
          earlier.build.directory,
          selected.map(({ name }) => name),
          options,
        )
      : { before: earlier.outcomes, after: await measure() };
  const moves = reason === null ? movesInTurn(before, after) : movesAgainstLimits(before, after);
  console.log(`${description()}, before: ${earlier.build.directory} at ${earlier.build.commit}\n`);
  console.log(moveTable(moves));
  await finish(after);
  return moves.some(isWorse);
}

/** Names the scenarios without rows, and writes the rows of the others. */
async function finish(outcomes: readonly Outcome[]): Promise<void> {
  for (const failure of failures) console.log(`Failed: ${failure}`);
  // A file without rows would hide the failure from a comparison.
  if (options.json !== undefined && outcomes.length > 0) await writeRun(options.json, plan, outcomes);
}

/** Runs the scenarios and reports them beside their limits. Returns whether a bound is missed. */
async function report(): Promise<boolean> {
  const outcomes = await measure();
  console.log(`${description()}\n`);
  console.log(page(outcomes, options.figures));
  await finish(outcomes);
  return outcomes.some((outcome) => verdictOn(outcome) === "missed");
}

const [loadBefore, startedAt] = [loadavg()[0]?.toFixed(1), performance.now()];

function description(): string {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  return `Node ${process.version}, ${availableParallelism()} cores, load average before ${loadBefore}, ${plan.rounds} rounds of ${plan.seconds} s, ${seconds} s in all`;
}

const failed = await (options.compare === undefined ? report() : compare(options.compare));
// The embedded Postgres sets its own exit code when the process ends by itself.
process.exit(failures.length > 0 || (failed && !quick) ? 1 : 0);
