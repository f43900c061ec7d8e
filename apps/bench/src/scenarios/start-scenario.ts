import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type ComparisonPlan, median } from "../comparison/compare-candidates.ts";
import { logIn, logInRequest } from "../comparison/log-in.ts";
import { atMost, type Outcome } from "../comparison/outcome.ts";
import { send } from "../processes/load-generator.ts";
import { environment } from "../processes/environment.ts";
import { productFile, startProduct } from "../processes/start-product.ts";
import type { Scenario, BenchEnvironment } from "../comparison/bench-environment.ts";

const mebibyte = 1024 * 1024;
const maxStarts = 3;
const directory = fileURLToPath(new URL("../../macros", import.meta.url));

/** Time from process start to the first answer, and memory use when idle. */
export const startScenario: Scenario = {
  name: "start",
  async run(bench, { rounds, turn }) {
    await bench.smallSchema();
    const starts = Math.min(rounds, maxStarts);
    // The bench's first request loads its HTTP client, which must not count.
    await fetch("http://127.0.0.1:9").catch(() => {});
    const onPostgres = await repeat(starts, turn, () => startOnPostgres(bench));
    const of = (figure: keyof StartFigures) => onPostgres.map((each) => each[figure]);
    const line = (scenario: string, unit: Outcome["unit"], values: readonly number[], wanted: number): Outcome => {
      return { scenario, unit, ours: median(values), bound: atMost(wanted) };
    };
    const embedded = await startsEmbedded(starts, turn);
    const reopened = (figure: keyof EmbeddedFigures) => embedded.reopened.map((each) => each[figure]);
    return [
      line("sallyport-server --help", "ms", await repeat(starts, turn, help), 200),
      line("start on a migrated Postgres", "ms", of("time"), 500),
      line("processor time of the start", "ms", of("cpu"), 600),
      line("start on embedded data", "ms", reopened("time"), 1_000),
      line("processor time of the start on embedded data", "ms", reopened("cpu"), 1_500),
      line("processor time of the first start, without data", "ms", [embedded.first.cpu], 3_500),
      line("memory at rest on embedded data", "MiB", reopened("memory"), 350),
      line("memory at rest on Postgres", "MiB", of("memory"), 100),
      line("memory after a log-in and a macro", "MiB", of("memoryWithMacro"), 130),
    ];
  },
};

/** Time and CPU time in milliseconds, memory in MiB. */
interface StartFigures {
  readonly time: number;
  readonly cpu: number;
  readonly memory: number;
  readonly memoryWithMacro: number;
}

async function startOnPostgres(bench: BenchEnvironment): Promise<StartFigures> {
  const { schema, appKey } = await bench.smallSchema();
  const { process, address, startedWithin } = await bench.startProduct({ "": schema }, { macros: { directory } });
  const { cpu } = await process.ask("sample");
  const memoryAtRest = async () => (await process.ask("restingMemory")) / mebibyte;
  const memory = await memoryAtRest();
  const sessionId = await logIn(address, logInRequest(appKey, 1));
  const headers = { appkey: appKey, sessionid: sessionId, "content-type": "application/json" };
  const executed = await send(address, { method: "POST", path: "/v1/execute/Trivial", headers, body: "null" });
  if (!executed.ok) throw new Error(`The macro was refused: ${await executed.text()}`);
  const memoryWithMacro = await memoryAtRest();
  await process.stop();
  return { time: startedWithin, cpu: cpu / 1_000, memory, memoryWithMacro };
}

async function help(): Promise<number> {
  const before = performance.now();
  await promisify(execFile)(process.execPath, [productFile, "--help"], { env: environment });
  return performance.now() - before;
}

type EmbeddedFigures = Omit<StartFigures, "memoryWithMacro">;

/** The start that creates an embedded database, and later ones. */
async function startsEmbedded(
  rounds: number,
  turn: ComparisonPlan["turn"],
): Promise<{ readonly first: EmbeddedFigures; readonly reopened: readonly EmbeddedFigures[] }> {
  const dataDir = await mkdtemp(join(tmpdir(), "bench-embedded-"));
  try {
    const start = async (): Promise<EmbeddedFigures> => {
      const { process, startedWithin } = await startProduct({
        databases: [{ storage: { engine: "embedded", dataDir: join(dataDir, "data") } }],
      });
      const { cpu } = await process.ask("sample");
      const residentMemory = await process.ask("restingMemory");
      await process.stop();
      return { time: startedWithin, cpu: cpu / 1_000, memory: residentMemory / mebibyte };
    };
    const first = await start();
    return { first, reopened: await repeat(rounds, turn, start) };
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function repeat<T>(times: number, turn: ComparisonPlan["turn"], work: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let time = 0; time < times; time += 1) {
    await turn();
    results.push(await work());
  }
  return results;
}
