import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { median } from "../contest/hold-contest.ts";
import { logIn, logInRequest } from "../contest/log-in.ts";
import { atMost, type Outcome } from "../contest/outcome.ts";
import { startProduct } from "../processes/start-product.ts";
import type { Scenario, Stage } from "../contest/stage.ts";

const mebibyte = 1024 * 1024;
/** Milliseconds in which a server that has nothing to do comes to rest. */
const rest = 2_000;
const mostStarts = 3;

/** From the start of a process to its first answer, and what it occupies when nothing happens. */
export const startScenario: Scenario = {
  name: "start",
  async run(stage, { rounds }) {
    await stage.smallSchema();
    const starts = Math.min(rounds, mostStarts);
    // The bench's own first request loads its HTTP client, which must not count.
    await fetch("http://127.0.0.1:9").catch(() => {});
    const onPostgres = await repeat(starts, () => startOnPostgres(stage));
    const [time, memory] = [onPostgres.map((each) => each.time), onPostgres.map((each) => each.memory)];
    const line = (scenario: string, unit: Outcome["unit"], values: readonly number[], wanted: number): Outcome => {
      return { scenario, unit, ours: median(values), bound: atMost(wanted) };
    };
    return [
      line("start on a migrated Postgres", "ms", time, 1_500),
      line("start on embedded data", "ms", await reopenEmbedded(starts), 2_000),
      line("memory at rest on Postgres", "MiB", memory, 130),
    ];
  },
};

async function startOnPostgres(stage: Stage): Promise<{ time: number; memory: number }> {
  const { schema, appKey } = await stage.smallSchema();
  const { process, address, startedWithin } = await stage.startProduct({ "": schema });
  await logIn(address, logInRequest(appKey, 1));
  await pause(rest);
  const { residentMemory } = await process.ask("sample");
  await process.stop();
  return { time: startedWithin, memory: residentMemory / mebibyte };
}

async function reopenEmbedded(rounds: number): Promise<number[]> {
  const dataDir = await mkdtemp(join(tmpdir(), "bench-embedded-"));
  try {
    const start = async () => {
      const { process, startedWithin } = await startProduct({
        databases: [{ storage: { engine: "embedded", dataDir: join(dataDir, "data") } }],
      });
      await process.stop();
      return startedWithin;
    };
    await start();
    return await repeat(rounds, start);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function repeat<T>(times: number, work: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let time = 0; time < times; time += 1) results.push(await work());
  return results;
}
