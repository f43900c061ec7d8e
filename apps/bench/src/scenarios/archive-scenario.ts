import { spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import type pg from "pg";
import copyStreams from "pg-copy-streams";
import { median } from "../comparison/compare-candidates.ts";
import { atLeast, atMost, type Outcome } from "../comparison/outcome.ts";
import type { Scenario, BenchEnvironment } from "../comparison/bench-environment.ts";
import { withClient } from "../database/bench-database.ts";
import { environment } from "../processes/environment.ts";
import { productFile, withConfiguration } from "../processes/start-product.ts";

const maxRounds = 3;
/** The full database may need this many times the memory of a tenth of it. */
const memoryBound = atMost(1.5);
/** The commands convert each object to or from JSON, which COPY does not. */
const speedBound = atLeast(0.5);

interface Measurement {
  readonly dump: CommandRun;
  readonly restore: CommandRun;
  /** Milliseconds of COPY from and to a table. */
  readonly outTime: number;
  readonly inTime: number;
}

/** The dump and restore commands, compared with COPY of the objects between equal tables. */
export const archiveScenario: Scenario = {
  name: "archive",
  async run(bench, { rounds, turn, quick }) {
    const objects = quick ? 50_000 : 1_000_000;
    const folder = await mkdtemp(join(tmpdir(), "bench-archive-"));
    try {
      const rows = { articles: 0, contacts: objects, users: 1, sessions: 0 };
      const { schema: many } = await bench.schema("sallyport_archive", rows);
      const { schema: few } = await bench.schema("sallyport_archive_few", { ...rows, contacts: objects / 10 });
      const all: Measurement[] = [];
      for (let round = 0; round < Math.min(rounds, quick ? 1 : maxRounds); round += 1) {
        await turn();
        all.push(await measure(bench, many, folder));
      }
      // Only the memory of this one is compared, and the bound is wide: one run is enough.
      return outcomes(objects, all, await measure(bench, few, folder));
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};

async function measure(bench: BenchEnvironment, schema: string, folder: string): Promise<Measurement> {
  const { address } = bench.database;
  const copy = join(folder, "objects.copy");
  const archive = join(folder, "archive.ndjson");
  const copied = `${schema}_copied`;
  const restored = `${schema}_restored`;
  for (const target of [copied, restored]) {
    await bench.database.run(`drop schema if exists ${target} cascade`);
    await runCommand(address, target, ["migrate"]);
  }
  await rm(archive, { force: true });
  const outTime = await copyOut(address, `${schema}.objects`, copy);
  const dump = await runCommand(address, schema, ["dump", "--output", archive]);
  // Flushes pending writes, so that no measurement includes them.
  await bench.database.run("checkpoint");
  const inTime = await copyIn(address, `${copied}.objects`, copy);
  await bench.database.run("checkpoint");
  const restore = await runCommand(address, restored, ["restore", "--input", archive]);
  return { dump, restore, outTime, inTime };
}

function outcomes(objects: number, all: readonly Measurement[], few: Measurement): Outcome[] {
  const speed = (scenario: string, run: "dump" | "restore", time: "outTime" | "inTime") => {
    const perSecond = (times: readonly number[]) => (objects / median(times)) * 1_000;
    const ours = perSecond(all.map((each) => each[run].time));
    const limit = perSecond(all.map((each) => each[time]));
    const limitName = "COPY of the objects";
    return { scenario, unit: "1/s", ours, limit, limitName, ratio: ours / limit, bound: speedBound } as const;
  };
  const memory = (run: "dump" | "restore") => {
    const ours = median(all.map((each) => each[run].memory));
    const limit = few[run].memory;
    const scenario = `memory of the ${run}`;
    const limitName = "a tenth of the objects";
    return { scenario, unit: "MiB", ours, limit, limitName, ratio: ours / limit, bound: memoryBound } as const;
  };
  const count = objects.toLocaleString("en");
  return [
    speed(`dump of ${count} objects`, "dump", "outTime"),
    speed(`restore of ${count} objects`, "restore", "inTime"),
    memory("dump"),
    memory("restore"),
  ];
}

interface CommandRun {
  /** Milliseconds, with process start and exit. */
  readonly time: number;
  /** Peak memory of the process in MiB. */
  readonly memory: number;
}

/** A module that the command loads first. It writes the peak memory in KiB to file descriptor 3. */
const reporter = new URL("../processes/report-peak-memory.js", import.meta.url).href;

/** Runs a product command on a Postgres schema. Rejects with its output on a non-zero exit code. */
function runCommand(databaseUrl: string, schema: string, args: readonly string[]): Promise<CommandRun> {
  const configuration = { databaseUrl, databases: [{ storage: { engine: "postgres", schema } }] };
  return withConfiguration(configuration, async (file) => {
    const start = performance.now();
    const child = spawn(process.execPath, ["--import", reporter, productFile, ...args, "--config", file], {
      env: environment,
      stdio: ["ignore", "ignore", "pipe", "pipe"],
    });
    const [printed, peak, [code]] = await Promise.all([
      text(child.stdio[2] as Readable),
      text(child.stdio[3] as Readable),
      once(child, "close"),
    ]);
    if (code !== 0) throw new Error(`${args.join(" ")} failed: ${printed}`);
    return { time: performance.now() - start, memory: Number(peak) / 1024 };
  });
}

/** Copies a table into a file with COPY, without parsing rows. Returns milliseconds. */
function copyOut(address: string, table: string, file: string): Promise<number> {
  return timed(address, (client) =>
    pipeline(client.query(copyStreams.to(`copy ${table} to stdout`)), createWriteStream(file, { flush: true })),
  );
}

/** Fills a table from such a file with COPY. Indexes and triggers stay enabled. Returns milliseconds. */
function copyIn(address: string, table: string, file: string): Promise<number> {
  return timed(address, (client) =>
    pipeline(
      createReadStream(file, { highWaterMark: 1_048_576 }),
      client.query(copyStreams.from(`copy ${table} from stdin`)),
    ),
  );
}

function timed(address: string, work: (client: pg.Client) => Promise<void>): Promise<number> {
  return withClient(address, async (client) => {
    const start = performance.now();
    await work(client);
    return performance.now() - start;
  });
}
