import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { checks } from "@sallyport/conformance-kit";
import { caughtByHand } from "./broken/all-broken-adapters.ts";

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
  readonly bites: readonly { readonly name: string; readonly needs: string | null; readonly mutant: string | null }[];
}

const script = join(import.meta.dirname, "../../../.ci/kit-mutants.mjs");

test("every check notices a mutant, or an adapter that is broken by hand", async () => {
  const directory = await mkdtemp(join(tmpdir(), "sallyport-mutants-"));
  const file = join(directory, "outcome.json");
  await promisify(execFile)(process.execPath, [script, "--json", file, "--bites"], { maxBuffer: 64 * 1_048_576 });
  const { bites } = JSON.parse(await readFile(file, "utf8")) as Outcome;
  await rm(directory, { recursive: true });
  expect(bites.map(({ name }) => name)).toEqual(checks.map(({ name }) => name));
  const noticing = bites.filter(({ name, mutant }) => mutant !== null || caughtByHand.has(name));
  const toothless = checks.filter(({ name }) => !noticing.some((each) => each.name === name)).map(({ name }) => name);
  expect(toothless.toSorted()).toEqual([...unproven.keys()].toSorted());
}, 3_600_000);
