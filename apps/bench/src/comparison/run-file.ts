import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { ComparisonPlan } from "./compare-candidates.ts";
import { type Outcome, verdictOn } from "./outcome.ts";

/** The checkout that this bench belongs to. */
export const ownDirectory = fileURLToPath(new URL("../../../..", import.meta.url)).replace(/\/$/, "");

/** A run of the bench, as `--json` writes it. */
export interface Run {
  readonly build: Build;
  readonly node: string;
  readonly cores: number;
  readonly plan: Pick<ComparisonPlan, "rounds" | "seconds" | "warmUp">;
  readonly outcomes: readonly Outcome[];
}

interface Build {
  /** The checkout. */
  readonly directory: string;
  /** `null` outside of a repository. */
  readonly commit: string | null;
}

export async function writeRun(file: string, plan: Run["plan"], outcomes: readonly Outcome[]): Promise<void> {
  const { rounds, seconds, warmUp } = plan;
  const build: Build = { directory: ownDirectory, commit: await commitAt(ownDirectory) };
  const judged = outcomes.map((outcome) => ({ ...outcome, verdict: verdictOn(outcome) }));
  const run: Run = {
    build,
    node: process.version,
    cores: availableParallelism(),
    plan: { rounds, seconds, warmUp },
    outcomes: judged,
  };
  await writeFile(file, `${JSON.stringify(run, null, 2)}\n`);
}

/** Throws if the file is not a run of a bench, or one of a bench that wrote no costs. */
export async function readRun(file: string): Promise<Run> {
  const run = JSON.parse(await readFile(file, "utf8")) as Partial<Run>;
  if (run.build === undefined || run.outcomes === undefined)
    throw new Error(`${file} does not name its build. Write it with --json of the earlier checkout.`);
  return run as Run;
}

/** The commit that is checked out; `null` without a repository. */
export async function commitAt(directory: string): Promise<string | null> {
  const asked = promisify(execFile)("git", ["-C", directory, "rev-parse", "HEAD"]);
  return asked.then(({ stdout }) => stdout.trim()).catch(() => null);
}
