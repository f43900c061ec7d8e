import { checks } from "@sallyport/conformance-kit";
import { caughtByHand } from "./broken/all-broken-adapters.ts";
import { floor, judgeMutants } from "./judge-mutants.ts";

/** Checks that notice no fault in memory, with the reason. */
const unproven: ReadonlyMap<string, string> = new Map([
  ["does not wait for concurrent claims", "Nothing in memory waits for a row until the time limit."],
  ["serializes a deletion with updates, across processes", "Its twin of one process notices a mutant."],
  [
    "leaves an object either live or deleted after concurrent deletions and restores, across processes",
    "Its twin of one process notices a mutant.",
  ],
]);

test("the kit kills mutants, accepts none that is gone or killed, and every check notices one or an adapter that is broken by hand", async () => {
  const { bites, needless, score } = await judgeMutants("--bites");
  expect(score).toBeGreaterThanOrEqual(floor);
  expect(needless).toEqual([]);
  expect(bites.map(({ name }) => name)).toEqual(checks.map(({ name }) => name));
  const noticing = bites.filter(({ name, mutant }) => mutant !== null || caughtByHand.has(name));
  const toothless = checks.filter(({ name }) => !noticing.some((each) => each.name === name)).map(({ name }) => name);
  expect(toothless.toSorted()).toEqual([...unproven.keys()].toSorted());
}, 3_600_000);
