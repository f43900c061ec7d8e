import { compareEngines } from "../queries/compare-engines.ts";

const runs = Number(process.env["RANDOM_QUERIES"] ?? 10_000);
const seed = Number(process.env["RANDOM_SEED"] ?? Math.floor(Math.random() * 1e9));

test(
  `many random queries and writes have the same results on all engines (RANDOM_SEED=${seed})`,
  () => compareEngines(runs, seed),
  1_800_000,
);
