import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/**
 * The percentage of mutants of the reference that the kit must kill. It only rises. A change of the reference makes other mutants,
 * some of which no check can notice.
 */
export const floor = 86;

interface Outcome {
  readonly judged: number;
  readonly killed: number;
  readonly accepted: number;
  readonly survivors: readonly { readonly path: string; readonly line: number; readonly was: string }[];
  readonly needless: readonly unknown[];
  readonly bites: readonly { readonly name: string; readonly needs: string | null; readonly mutant: string | null }[];
}

const script = join(import.meta.dirname, "../../../.ci/kit-mutants.mjs");

/** Judges mutants of the reference by the checks of the kit. */
export async function judgeMutants(...options: readonly string[]): Promise<Outcome & { readonly score: number }> {
  const directory = await mkdtemp(join(tmpdir(), "sallyport-mutants-"));
  const file = join(directory, "outcome.json");
  await promisify(execFile)(process.execPath, [script, "--json", file, ...options], { maxBuffer: 64 * 1_048_576 });
  const outcome = JSON.parse(await readFile(file, "utf8")) as Outcome;
  await rm(directory, { recursive: true });
  return { ...outcome, score: (100 * outcome.killed) / (outcome.judged - outcome.accepted) };
}
