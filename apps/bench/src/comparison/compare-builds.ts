import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BenchOptions } from "../bench-options.ts";
import { openPostgres } from "../database/bench-database.ts";
import type { Outcome } from "./outcome.ts";
import { commitAt, ownDirectory, readRun, type Run } from "./run-file.ts";
import { alternate, BuildInTurns } from "./turns.ts";

const programOf = (directory: string) => join(directory, "apps/bench/dist/main.js");

/** Why the build of an earlier run cannot be measured again; `null` if it can. */
export async function reasonAgainstTurns({ build: { directory, commit } }: Run): Promise<string | null> {
  if (directory === ownDirectory) return "The earlier run is one of this directory.";
  if (!existsSync(programOf(directory))) return `${directory} contains no built bench.`;
  const found = await commitAt(directory);
  return found === commit ? null : `${directory} contains ${found}, and the earlier run was of ${commit}.`;
}

/**
 * Runs scenarios with the builds of two checkouts, round by round in turn. Each build has its own bench, database and
 * servers. Prints a sentence for a scenario that one of them does not have.
 */
export async function measureInTurn(
  earlierDirectory: string,
  scenarios: readonly string[],
  { quick }: Pick<BenchOptions, "quick">,
): Promise<{ before: Outcome[]; after: Outcome[] }> {
  const folder = await mkdtemp(join(tmpdir(), "bench-in-turns-"));
  const postgres = await openPostgres();
  const environment = { ...process.env, DATABASE_URL: postgres.address };
  const measured = { before: [] as Outcome[], after: [] as Outcome[] };
  try {
    for (const scenario of scenarios) {
      console.error(`${scenario}, in turn`);
      const start = (directory: string, file: string) =>
        new BuildInTurns(
          programOf(directory),
          ["--only", scenario, "--json", join(folder, file), ...(quick ? ["--quick"] : [])],
          environment,
        );
      const builds = [start(earlierDirectory, `${scenario}-before`), start(ownDirectory, `${scenario}-after`)] as const;
      await alternate(builds);
      const [before, after] = await Promise.all(
        (["before", "after"] as const).map((side) => readRun(join(folder, `${scenario}-${side}`)).catch(() => null)),
      );
      if (before && after) {
        measured.before.push(...before.outcomes);
        measured.after.push(...after.outcomes);
      } else {
        const failed = before === null ? builds[0] : builds[1];
        console.error(`${scenario} is not compared, ${failed.mainFile} wrote no figures: ${failed.complaint}`);
      }
    }
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true });
  }
  return measured;
}
