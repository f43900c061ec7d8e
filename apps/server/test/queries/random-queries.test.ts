import { compareEngines } from "./compare-engines.ts";

const runs = Number(process.env["RANDOM_QUERIES"] ?? 150);
const seed = Number(process.env["RANDOM_SEED"] ?? Math.floor(Math.random() * 1e9));

test(
  `random queries and writes come to the same on all engines (RANDOM_SEED=${seed})`,
  () => compareEngines(runs, seed),
  600_000,
);
