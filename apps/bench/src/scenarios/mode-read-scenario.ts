import { objectIdOf } from "@sallyport/core";
import { holdContest } from "../contest/hold-contest.ts";
import { LoadedServer } from "../contest/loaded-server.ts";
import { SecureClient } from "../product/secure-client.ts";
import { logInForToken, tokenLogInRequest } from "../product/token-log-in.ts";
import { compared } from "../report/compared.ts";
import { connections, smallRows } from "../stage/stage.ts";
import { scattered } from "./scattered.ts";
import type { Scenario } from "./scenario.ts";

/** As many articles as make 1 MiB of JSON. */
const mebibyte = "/v1/objects/Article?perPage=640";

/** The same reads in the three modes. */
export const modeReadScenario: Scenario = {
  name: "mode-read",
  async run(stage, plan) {
    const { process, address, sessionIds } = await stage.runningProduct();
    const { firstArticle, articles, appKey } = await stage.smallSchema();
    const secure = await SecureClient.of(address, appKey);
    const users = Array.from({ length: connections }, (_, index) => (index % smallRows.users) + 1);
    const tokens = await Promise.all(users.map((user) => logInForToken(address, tokenLogInRequest(appKey, user))));
    const secureTokens = await Promise.all(users.map((user) => secure.logIn(address, user)));

    const places = scattered(articles);
    const loaded = (name: string, header: string, credentials: readonly string[], path: (place: number) => string) => {
      const requests = places.map((place, index) => ({
        method: "GET" as const,
        path: path(place),
        headers: { appkey: appKey, [header]: credentials[index % credentials.length] ?? "" },
      }));
      return new LoadedServer(name, process, { address, connections, requests }, stage.generator, stage.database);
    };
    const read = (place: number) => `/v1/object/${objectIdOf(firstArticle + place)}`;
    const result = await holdContest(
      [
        loaded("read", "sessionid", sessionIds, read),
        loaded("token read", "authorization", tokens, read),
        loaded("secure read", "secure-token", secureTokens, read),
        loaded("1 MiB", "sessionid", sessionIds, () => mebibyte),
        loaded("1 MiB, secure", "secure-token", secureTokens, () => mebibyte),
      ],
      plan,
    );
    return [
      compared(result, {
        scenario: "read with a token",
        ours: "token read",
        limit: "read",
        bound: { direction: "atLeast", wanted: 0.9 },
      }),
      compared(result, {
        scenario: "secure read",
        ours: "secure read",
        limit: "read",
        bound: { direction: "atLeast", wanted: 0.8, goal: 0.9 },
      }),
      compared(result, {
        scenario: "secure answer of 1 MiB",
        ours: "1 MiB, secure",
        limit: "1 MiB",
        bound: { direction: "atLeast", wanted: 0.5 },
      }),
    ];
  },
};
