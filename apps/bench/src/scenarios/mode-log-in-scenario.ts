import { Argon2OnAllCores } from "../contest/argon2-on-all-cores.ts";
import { holdContest } from "../contest/hold-contest.ts";
import { LoadedServer } from "../contest/loaded-server.ts";
import { SecureClient } from "../product/secure-client.ts";
import { tokenLogInRequest } from "../product/token-log-in.ts";
import { compared } from "../report/compared.ts";
import { connections, smallRows } from "../stage/stage.ts";
import type { Scenario } from "./scenario.ts";

/** About what two cores hash in a second. */
const pace = 100;
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
