import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { isFullRun } from "@sallyport/test-kit/scope";

/**
 * The percentage of mutants of the reference storage that the kit must kill. It only rises. A change of the reference makes
 * other mutants, some of which no check can notice.
 */
const floor = 84;

/** The score of a sample may be this much lower. */
const luck = 5;

interface Outcome {
  readonly judged: number;
  readonly killed: number;
  readonly accepted: number;
  readonly survivors: readonly { readonly path: string; readonly line: number; readonly was: string }[];
  readonly needless: readonly unknown[];
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

const judged = judge("--sample", isFullRun ? "300" : "40", "--seed", "7");
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
