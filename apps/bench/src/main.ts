import { mkdir, writeFile } from "node:fs/promises";
import { availableParallelism, loadavg } from "node:os";
import { benchOptions } from "./bench-options.ts";
import type { ComparisonPlan } from "./comparison/compare-candidates.ts";
import { type Outcome, outcomeTable, verdictOn } from "./comparison/outcome.ts";
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
import { macroScenario } from "./scenarios/macro-scenario.ts";
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
  syncScenario,
];

const options = benchOptions(
  process.argv.slice(2),
  scenarios.map(({ name }) => name),
);
if (options.profile !== undefined) await mkdir(options.profile, { recursive: true });
const rounds: ComparisonPlan = options.quick
  ? { rounds: 2, seconds: 1, warmUp: 1 }
  : { rounds: 6, seconds: 2, warmUp: 2 };
const plan: ComparisonPlan = { ...rounds, ...(options.profile === undefined ? {} : { profiles: options.profile }) };

const loadBefore = loadavg()[0]?.toFixed(1);
const startedAt = performance.now();
const outcomes: Outcome[] = [];
const bench = await BenchEnvironment.open();
// An interrupted bench does not finish the round. Shells expect 130 after SIGINT.
const stop = () => void bench.close().finally(() => process.exit(130));
process.once("SIGINT", stop).once("SIGTERM", stop);
try {
  for (const scenario of scenarios) {
    if (options.only !== undefined && options.only !== scenario.name) continue;
    console.error(`${((performance.now() - startedAt) / 1000).toFixed(0)} s: ${scenario.name}`);
    outcomes.push(...(await scenario.run(bench, plan)));
  }
} finally {
  await bench.close();
}

const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
console.log(
  `Node ${process.version}, ${availableParallelism()} cores, load average before ${loadBefore}, ${plan.rounds} rounds of ${plan.seconds} s, ${seconds} s in all\n`,
);
console.log(outcomeTable(outcomes));
if (options.json !== undefined) {
  const judged = outcomes.map((outcome) => ({ ...outcome, verdict: verdictOn(outcome) }));
  await writeFile(options.json, `${JSON.stringify({ node: process.version, plan, outcomes: judged }, null, 2)}\n`);
}
// The embedded Postgres sets its own exit code when the process ends by itself.
process.exit(!options.quick && outcomes.some((outcome) => verdictOn(outcome) === "missed") ? 1 : 0);
