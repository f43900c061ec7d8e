import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { compared, type Contestant, type Figures, holdContest, median } from "../contest/hold-contest.ts";
import { LoadedServer } from "../contest/loaded-server.ts";
import { connections, type Scenario, smallRows, type Stage } from "../contest/stage.ts";
import type { LoopDelay } from "../processes/probe.ts";
import { password } from "../database/sample-data.ts";
import { logInRequest, SecureClient, tokenLogInRequest } from "../contest/log-in.ts";

/** About what two cores hash in a second. */
const pace = 100;

/**
 * Times the usual warm-up: with few log-ins a second, it takes half a minute until the code that they run is compiled as
 * it is in a server that runs for days.
 */
const longWarmUp = 12;

/** As many log-ins as the cores can hash, and how the event loop fares meanwhile. */
export const logInScenario: Scenario = {
  name: "log-in",
  async run(stage, plan) {
    const { process, address } = await stage.runningProduct();
    const { appKey } = await stage.smallSchema();
    const requests = Array.from({ length: smallRows.users }, (_, index) => logInRequest(appKey, index + 1));
    const storm = new LoadedServer(
      "log-in",
      process,
      { address, connections, requests },
      stage.generator,
      stage.database,
      pace,
    );
    const delays: LoopDelay[] = [];
    const watched: Contestant = {
      name: storm.name,
      async measure(seconds) {
        await process.ask({ ask: "watchLoop" });
        const figures = await storm.measure(seconds);
        delays.push(await process.ask({ ask: "loopDelay" }));
        return figures;
      },
      profile: (seconds, directory) => storm.profile(seconds, directory),
    };
    const hand = await written(stage, "Express + pg + argon2id", "express-log-in");
    const bare = await written(stage, "Express + argon2id", "express-hash");
    const result = await holdContest([watched, hand, bare, new Argon2OnAllCores("argon2id on all cores")], {
      ...plan,
      warmUp: longWarmUp * plan.warmUp,
    });
    const rounds = delays.slice(-plan.rounds);
    return [
      compared(result, {
        scenario: "log-ins",
        ours: "log-in",
        limit: "argon2id on all cores",
        bound: { direction: "atLeast", wanted: 0.8, goal: 0.9 },
      }),
      compared(result, { scenario: "log-ins", ours: "log-in", limit: hand.name }),
      compared(result, { scenario: "the same by hand", ours: hand.name, limit: "argon2id on all cores" }),
      compared(result, {
        scenario: "no more than the hash over HTTP",
        ours: bare.name,
        limit: "argon2id on all cores",
      }),
      {
        scenario: "event-loop delay during log-ins, p99",
        unit: "ms",
        ours: median(rounds.map(({ p99 }) => p99)),
        bound: { direction: "atMost", wanted: 30 },
      },
    ];
  },
};

/** A log-in written by hand, under the same load. */
async function written(stage: Stage, name: string, module: string): Promise<LoadedServer> {
  const { process, address } = await stage.runningLimit(module);
  const requests = Array.from({ length: smallRows.users }, (_, index) => ({
    method: "POST" as const,
    path: "/login",
    headers: { appkey: "bare", "content-type": "application/json" },
    body: JSON.stringify({ user: `user${index + 1}`, pass: password, appNames: ["bench"] }),
  }));
  return new LoadedServer(name, process, { address, connections, requests }, stage.generator, stage.database, pace);
}

/** More than one connection sends in a round, so that no message of a round is sent twice. */
const perConnection = 40;

/** Log-ins in token mode and in secure mode. */
export const modeLogInScenario: Scenario = {
  name: "mode-log-in",
  async run(stage, plan) {
    const { process, address } = await stage.runningProduct();
    const { appKey } = await stage.smallSchema();
    const secure = await SecureClient.of(address, appKey);
    const userOf = (index: number) => (index % smallRows.users) + 1;
    const tokenRequests = Array.from({ length: smallRows.users }, (_, index) =>
      tokenLogInRequest(appKey, userOf(index)),
    );
    const secureRequests = () =>
      Array.from({ length: connections * perConnection }, (_, index) => secure.request(userOf(index)));
    const loaded = (name: string, requests: typeof tokenRequests | typeof secureRequests) =>
      new LoadedServer(name, process, { address, connections, requests }, stage.generator, stage.database, pace);
    const limit = "argon2id on all cores";
    const result = await holdContest(
      [loaded("token log-in", tokenRequests), loaded("secure log-in", secureRequests), new Argon2OnAllCores(limit)],
      plan,
    );
    return [
      compared(result, {
        scenario: "log-ins with a token",
        ours: "token log-in",
        limit,
        bound: { direction: "atLeast", wanted: 0.8 },
      }),
      compared(result, {
        scenario: "secure log-ins",
        ours: "secure log-in",
        limit,
        bound: { direction: "atLeast", wanted: 0.7 },
      }),
    ];
  },
};

const entry = fileURLToPath(new URL("../limits/argon2-limit.js", import.meta.url));

/** The limit of log-ins: the same hashing, and nothing around it. */
class Argon2OnAllCores implements Contestant {
  constructor(readonly name: string) {}

  async measure(seconds: number): Promise<Figures> {
    const child = fork(entry, [String(seconds)]);
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
