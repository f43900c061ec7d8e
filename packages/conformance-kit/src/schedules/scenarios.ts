import fc from "fast-check";
import { parseSchedule, type Scenario, type Step } from "./script.ts";

/** The classical anomalies, each with transactions that can show it. */
export const anomalies: { readonly [name: string]: Scenario } = Object.fromEntries(
  Object.entries({
    "dirty writes": "a=1 b=1 | put a, put b | put b, put a",
    "dirty reads": "a=1 | put a, put b, fail | get a, get b, put c",
    "reads of an intermediate state": "a=1 | put a, put a | get a, put b",
    "lost updates": "a=1 | get a, put a | get a, put a",
    "lost deletions": "a=1 | get a, put a | get a, delete a, put b",
    "non-repeatable reads": "a=1 b=1 | get a, get b, get a | put a, put b",
    "phantoms in a range": "a=1 | range, get b, range | put b, put c",
    "phantoms in an index": "a=1 b=2 | odd, even, odd | put a, delete b",
    "skewed inserts below a counted limit": "a=1 | count, put b | count, put c",
    "skewed inserts into a range of an index": "a=1 d=3 | odd, put b | odd, put c",
    "skewed writes": "a=1 b=1 | get a, get b, put a | get a, get b, put b",
    "skewed deletions": "a=1 b=1 | count, delete a | count, delete b",
    "skewed writes into two ranges": "a=1 b=2 | odd, put b | even, put a",
    "anomalies of a read-only transaction": "a=1 b=1 | get a, get b, put a | get b, put b | get a, get b",
    "cycles of three transactions": "a=1 b=1 c=1 | get a, put b | get b, put c | get c, put a",
  }).map(([name, text]) => [name, parseSchedule(text).scenario]),
);

const key = fc.constantFrom("a", "b", "c");
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom("get", "put", "put"), key }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("delete"), key }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("range", "count", "odd", "even") }) },
) as fc.Arbitrary<Step>;
const transaction = fc
  .tuple(fc.array(steps, { minLength: 2, maxLength: 3 }), fc.integer({ min: 0, max: 9 }))
  .map(([own, chance]): readonly Step[] => (chance === 0 ? [...own, { kind: "fail" }] : own));

const scenarios = fc.record({
  rows: fc.dictionary(key, fc.integer({ min: 1, max: 9 }), { maxKeys: 3, noNullPrototype: true }),
  transactions: fc.oneof(
    { weight: 3, arbitrary: fc.array(transaction, { minLength: 2, maxLength: 2 }) },
    { weight: 1, arbitrary: fc.array(transaction, { minLength: 3, maxLength: 3 }) },
  ),
});

/** Random scenarios, the same ones for a seed. */
export function randomScenarios(seed: number, number: number): readonly Scenario[] {
  return fc.sample(scenarios, { seed, numRuns: number });
}
