import { Argon2OnAllCores } from "../contest/argon2-on-all-cores.ts";
import type { Contestant } from "../contest/contestant.ts";
import { holdContest } from "../contest/hold-contest.ts";
import { LoadedServer } from "../contest/loaded-server.ts";
import { median } from "../contest/median.ts";
import type { LoopDelay } from "../processes/probe-message.ts";
import { password } from "../product/password.ts";
import { logInRequest } from "../product/log-in.ts";
import { compared } from "../report/compared.ts";
import { connections, smallRows, type Stage } from "../stage/stage.ts";
import type { Scenario } from "./scenario.ts";

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
