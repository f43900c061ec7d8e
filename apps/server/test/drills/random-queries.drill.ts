import { compareEngines } from "../queries/compare-engines.ts";

const queries = Number(process.env["RANDOM_QUERIES"] ?? 10_000);
const seed = Number(process.env["RANDOM_SEED"] ?? Math.floor(Math.random() * 1e9));

test(`many random queries have the same answers on all engines (RANDOM_SEED=${seed})`, () => compareEngines(queries, seed), 1_800_000);
