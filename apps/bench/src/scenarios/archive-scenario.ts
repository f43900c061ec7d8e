import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "../contest/median.ts";
import { copyIn, copyOut } from "../postgres/copy-table.ts";
import { type CommandRun, runCommand } from "../product/run-command.ts";
import type { Outcome } from "../report/outcome.ts";
import type { Stage } from "../stage/stage.ts";
import type { Scenario } from "./scenario.ts";

const mostRounds = 3;
/** All objects take so many times the memory of a tenth of them at most. */
const flat = { direction: "atMost", wanted: 1.5 } as const;
const half = { direction: "atLeast", wanted: 0.5 } as const;

interface Measured {
  readonly dump: CommandRun;
  readonly restore: CommandRun;
  /** Milliseconds. */
  readonly copyOut: number;
  readonly copyIn: number;
}

/** Dump and restore as commands, and COPY of the objects alone, out of the same table and into one with the same indexes. */
export const archiveScenario: Scenario = {
  name: "archive",
  async run(stage, { rounds }) {
    const isQuick = rounds < mostRounds;
    const objects = isQuick ? 50_000 : 1_000_000;
    const folder = await mkdtemp(join(tmpdir(), "bench-archive-"));
    try {
      const many = (await stage.schema("sallyport_archive", { articles: 0, contacts: objects, users: 1, sessions: 0 }))
        .schema;
      const few = (
        await stage.schema("sallyport_archive_few", { articles: 0, contacts: objects / 10, users: 1, sessions: 0 })
      ).schema;
      const all: Measured[] = [];
      for (let round = 0; round < Math.min(rounds, isQuick ? 1 : mostRounds); round += 1)
        all.push(await measure(stage, many, folder));
      return outcomes(objects, all, await measure(stage, few, folder));
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};

async function measure(stage: Stage, schema: string, folder: string): Promise<Measured> {
  const { address } = stage.database;
  const [rows, archive] = [join(folder, "objects.copy"), join(folder, "archive.ndjson")];
  const [copied, restored] = [`${schema}_copied`, `${schema}_restored`];
  for (const empty of [copied, restored]) {
    await stage.database.run(`drop schema if exists ${empty} cascade`);
    await runCommand(address, empty, ["migrate"]);
  }
  await rm(archive, { force: true });
  const outTime = await copyOut(address, `${schema}.objects`, rows);
  const dump = await runCommand(address, schema, ["dump", "--output", archive]);
  // What was written before is not to be flushed while something else is measured.
  await stage.database.run("checkpoint");
  const inTime = await copyIn(address, `${copied}.objects`, rows);
  await stage.database.run("checkpoint");
  const restore = await runCommand(address, restored, ["restore", "--input", archive]);
  return { dump, restore, copyOut: outTime, copyIn: inTime };
}

function outcomes(objects: number, all: readonly Measured[], few: Measured): Outcome[] {
  const perSecond = (times: readonly number[]) => (objects / median(times)) * 1_000;
  const compared = (scenario: string, limitName: string, ours: number, limit: number): Outcome => {
    return { scenario, unit: "1/s", ours, limit, limitName, ratio: ours / limit, bound: half };
  };
  const memory = (scenario: string, ours: number, limit: number): Outcome => {
    return { scenario, unit: "MiB", ours, limit, limitName: "a tenth of them", ratio: ours / limit, bound: flat };
  };
  const [dumps, restores] = [all.map(({ dump }) => dump), all.map(({ restore }) => restore)];
  const counted = objects.toLocaleString("en");
  return [
    compared(
      `dump of ${counted} objects`,
      "COPY of the objects",
      perSecond(dumps.map(({ time }) => time)),
      perSecond(all.map((each) => each.copyOut)),
    ),
    compared(
      `restore of ${counted} objects`,
      "COPY of the objects",
      perSecond(restores.map(({ time }) => time)),
      perSecond(all.map((each) => each.copyIn)),
    ),
    memory("memory of that dump", median(dumps.map((run) => run.memory)), few.dump.memory),
    memory("memory of that restore", median(restores.map((run) => run.memory)), few.restore.memory),
  ];
}
