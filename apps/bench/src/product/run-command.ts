import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

export interface CommandRun {
  /** Milliseconds, with the start and the end of the process. */
  readonly time: number;
  /** What the process occupied at most, in MiB. */
  readonly memory: number;
}

const server = fileURLToPath(new URL("../../../server/dist/main.js", import.meta.url));
const reporter = new URL("../processes/report-peak-memory.js", import.meta.url).href;

/** Runs a command of the product on a schema of a Postgres. Fails with what it printed unless it succeeds. */
export async function runCommand(databaseUrl: string, schema: string, args: readonly string[]): Promise<CommandRun> {
  const folder = await mkdtemp(join(tmpdir(), "bench-command-"));
  try {
    const file = join(folder, "configuration.json");
    await writeFile(file, JSON.stringify({ databaseUrl, databases: [{ storage: { engine: "postgres", schema } }] }));
    const env = {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      TMPDIR: process.env["TMPDIR"],
      NODE_ENV: "production",
    };
    const start = performance.now();
    const child = spawn(process.execPath, ["--import", reporter, server, ...args, "--config", file], {
      env,
      stdio: ["ignore", "ignore", "pipe", "pipe"],
    });
    const [printed, peak, [code]] = await Promise.all([
      text(child.stdio[2] as Readable),
      text(child.stdio[3] as Readable),
      once(child, "close"),
    ]);
    if (code !== 0) throw new Error(`${args.join(" ")} failed: ${printed}`);
    return { time: performance.now() - start, memory: Number(peak) / 1024 };
  } finally {
    await rm(folder, { recursive: true });
  }
}
