import { compareEngines } from "./compare-engines.ts";

const queries = Number(process.env["RANDOM_QUERIES"] ?? 250);
const seed = Number(process.env["RANDOM_SEED"] ?? Math.floor(Math.random() * 1e9));

test(`random queries have the same answers on all engines (RANDOM_SEED=${seed})`, () => compareEngines(queries, seed), 300_000);
