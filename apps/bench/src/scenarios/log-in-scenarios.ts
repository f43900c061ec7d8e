import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type Candidate, type Figures, median } from "../comparison/compare-candidates.ts";
import { logInRequest, SecureClient, tokenLogInRequest } from "../comparison/log-in.ts";
import { atLeast, atMost } from "../comparison/outcome.ts";
import { connections, comparison, json, smallRows } from "../comparison/bench-environment.ts";
import { password } from "../database/sample-data.ts";
import type { LoadRequest } from "../processes/load-generator.ts";
import type { Answer } from "../processes/probe.ts";

/** Approximate hashes per second on two cores. */
const pace = 100;

/**
 * Factor of the warm-up time. At a few log-ins per second, the JIT compiler needs half a minute to reach the state of a
 * long-running server.
 */
const longWarmUp = 12;

const limit = "argon2id on all cores";

const ofEachUser = (request: (user: number) => LoadRequest) =>
  Array.from({ length: smallRows.users }, (_, index) => request(index + 1));

/** Requests for the hand-written log-in. */
const handWrittenLogIns = ofEachUser((user) => ({
  method: "POST",
  path: "/login",
  headers: { appkey: "bare", ...json },
  body: JSON.stringify({ user: `user${user}`, pass: password, appNames: ["bench"] }),
}));

/** Log-ins at full hashing capacity, and the event loop delay under this load. */
export const logInScenario = comparison("log-in", async (bench, { rounds }) => {
  const product = await bench.runningProduct();
  const { appKey } = await bench.smallSchema();
  const logIns = ofEachUser((user) => logInRequest(appKey, user));
  const storm = bench.loaded("log-in", product, logIns, { pace });
  const delays: Answer<"loopDelay">[] = [];
  const watched: Candidate = {
    name: storm.name,
    async measure(seconds) {
      await product.process.ask("watchLoop");
      const figures = await storm.measure(seconds);
      delays.push(await product.process.ask("loopDelay"));
      return figures;
    },
    profile: (seconds, directory) => storm.profile(seconds, directory),
  };
  const handWritten = async (name: string, module: string) =>
    bench.loaded(name, await bench.runningLimit(module), handWrittenLogIns, { pace });
  const hand = await handWritten("Express + pg + argon2id", "express-log-in");
  const bare = await handWritten("Express + argon2id", "express-hash");
  return {
    candidates: [watched, hand, bare, new Argon2OnAllCores(limit)],
    longWarmUp,
    lines: [
      { scenario: "log-in", ours: "log-in", limit, bound: atLeast(0.8, 0.9) },
      { scenario: "log-in", ours: "log-in", limit: hand.name, bound: atLeast(0.95) },
      { scenario: hand.name, ours: hand.name, limit },
      { scenario: bare.name, ours: bare.name, limit },
      () => ({
        scenario: "event-loop delay during log-ins, p99",
        unit: "ms",
        // Without those of the warm-up, which measures as well.
        ours: median(delays.slice(-rounds).map(({ p99 }) => p99)),
        bound: atMost(30),
      }),
    ],
  };
});

/** More requests than one connection sends in a round, so that no message is sent twice. */
const perConnection = 40;

/** Log-ins in token mode and in secure mode, compared with session mode. */
export const modeLogInScenario = comparison("mode-log-in", async (bench) => {
  const product = await bench.runningProduct();
  const { appKey } = await bench.smallSchema();
  const secure = await SecureClient.of(product.address, appKey);
  const tokenLogIns = ofEachUser((user) => tokenLogInRequest(appKey, user));
  const secureLogIns = () =>
    Array.from({ length: connections * perConnection }, (_, index) => secure.request((index % smallRows.users) + 1));
  const plain = "log-in by session id";
  const plainLogIns = ofEachUser((user) => logInRequest(appKey, user));
  return {
    candidates: [
      bench.loaded(plain, product, plainLogIns, { pace }),
      bench.loaded("token log-in", product, tokenLogIns, { pace }),
      bench.loaded("secure log-in", product, secureLogIns, { pace }),
      new Argon2OnAllCores(limit),
    ],
    lines: [
      { scenario: "log-in with a token", ours: "token log-in", limit: plain, bound: atLeast(0.95) },
      { scenario: "secure log-in", ours: "secure log-in", limit: plain, bound: atLeast(0.85) },
      { scenario: "log-in with a token", ours: "token log-in", limit, bound: atLeast(0.8) },
      { scenario: "secure log-in", ours: "secure log-in", limit, bound: atLeast(0.7) },
    ],
  };
});

const program = fileURLToPath(new URL("../limits/argon2-limit.js", import.meta.url));

/** The limit of log-ins: only the hashing. */
class Argon2OnAllCores implements Candidate {
  constructor(readonly name: string) {}

  async measure(seconds: number): Promise<Figures> {
    const child = fork(program, [String(seconds)]);
    try {
      const [message] = await once(child, "message", { signal: AbortSignal.timeout((seconds + 20) * 1000) });
      const counted = message as { checked: number; seconds: number; cpu: number };
      const perSecond = counted.checked / counted.seconds;
      return { perSecond, cpu: counted.cpu / counted.checked, backendCpu: 0, p50: 0, p99: 0 };
    } finally {
      child.kill("SIGKILL");
    }
  }
}
