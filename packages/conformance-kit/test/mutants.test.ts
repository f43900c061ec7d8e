import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { checks } from "@sallyport/conformance-kit";
import { isFullRun } from "@sallyport/test-kit/scope";
import { caughtByHand } from "./broken/all-broken-adapters.ts";

/**
 * The percentage of mutants of the reference storage that the kit must kill. It only rises. A change of the reference makes
 * other mutants, some of which no check can notice.
 */
const floor = 93;

/** The score of a sample may be this much lower. */
const luck = 5;

/** Checks that notice no fault in memory, with the reason. */
const unproven: ReadonlyMap<string, string> = new Map([
  ["does not wait for concurrent claims", "Nothing in memory waits for a row until the time limit."],
  ["serializes a deletion with updates, across processes", "Its twin of one process notices a mutant."],
  [
    "leaves an object either live or deleted after concurrent deletions and restores, across processes",
    "Its twin of one process notices a mutant.",
  ],
]);

interface Outcome {
  readonly judged: number;
  readonly killed: number;
  readonly accepted: number;
  readonly survivors: readonly { readonly path: string; readonly line: number; readonly was: string }[];
  readonly needless: readonly unknown[];
  readonly bites: readonly { readonly name: string; readonly needs: string | null; readonly mutant: string | null }[];
}

const script = join(import.meta.dirname, "../../../.ci/kit-mutants.mjs");

async function judge(...options: readonly string[]): Promise<Outcome> {
  const directory = await mkdtemp(join(tmpdir(), "sallyport-mutants-"));
  const file = join(directory, "outcome.json");
  await promisify(execFile)(process.execPath, [script, "--json", file, ...options], { maxBuffer: 64 * 1_048_576 });
  const outcome = JSON.parse(await readFile(file, "utf8")) as Outcome;
  await rm(directory, { recursive: true });
  return outcome;
}

const judged = judge(...(isFullRun ? ["--bites"] : ["--sample", "150", "--seed", "7"]));
// A failure belongs to the tests that await it.
judged.catch(() => {});

test("checks kill mutants of the reference storage", async () => {
  const { killed, accepted, judged: count, survivors } = await judged;
  const score = (100 * killed) / (count - accepted) + (isFullRun ? 0 : luck);
  // The survivors come first, so that a failure names them.
  expect({ survivors: score < floor ? survivors : [], isAbove: score >= floor }).toEqual({
    survivors: [],
    isAbove: true,
  });
}, 900_000);

test("accepts no mutant that is gone or killed", async () => {
  expect((await judged).needless).toEqual([]);
}, 900_000);

if (isFullRun) {
  test("every check notices a mutant, or an adapter that is broken by hand", async () => {
    const { bites } = await judged;
    expect(bites.map(({ name }) => name)).toEqual(checks.map(({ name }) => name));
    const noticing = bites.filter(({ name, mutant }) => mutant !== null || caughtByHand.has(name));
    const toothless = checks.filter(({ name }) => !noticing.some((each) => each.name === name)).map(({ name }) => name);
    expect(toothless.toSorted()).toEqual([...unproven.keys()].toSorted());
  }, 900_000);
}
