import { isFullRun } from "@sallyport/test-kit/scope";
import { compareEngines } from "./compare-engines.ts";

const runs = Number(process.env["RANDOM_QUERIES"] ?? (isFullRun ? 150 : 40));
const seed = Number(process.env["RANDOM_SEED"] ?? Math.floor(Math.random() * 1e9));

test(
  `random queries and writes have the same results on all engines (RANDOM_SEED=${seed})`,
  () => compareEngines(runs, seed),
  600_000,
);
