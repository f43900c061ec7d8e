import { objectIdOf } from "@sallyport/core";
import { holdContest } from "../contest/hold-contest.ts";
import { LoadedServer } from "../contest/loaded-server.ts";
import { compared } from "../report/compared.ts";
import { connections } from "../stage/stage.ts";
import { scattered } from "./scattered.ts";
import type { Scenario } from "./scenario.ts";

/** Reading an object by its id, and checking a session. */
export const readScenario: Scenario = {
  name: "read",
  async run(stage, plan) {
    const product = await stage.runningProduct();
    const row = await stage.runningLimit("express-row");
    const json = await stage.runningLimit("express-json");
    const { small, sessionIds } = product;
    const places = scattered(small.articles);
    const headers = (index: number) => ({ appkey: small.appKey, sessionid: sessionIds[index % sessionIds.length] ?? "" });
    const load = (address: string, paths: readonly string[]) => ({
      address,
      connections,
      requests: paths.map((path, index) => ({ method: "GET" as const, path, headers: headers(index) })),
    });
    const { generator, database } = stage;
    const objects = places.map((place) => `/v1/object/${objectIdOf(small.firstArticle + place)}`);
    const result = await holdContest(
      [
        new LoadedServer("read", product.process, load(product.address, objects), generator, database),
        new LoadedServer("Express + pg", row.process, load(row.address, places.map((place) => `/plain/${place + 1}`)), generator, database),
        new LoadedServer("check", product.process, load(product.address, places.map(() => "/_CheckSession")), generator, database),
        new LoadedServer("Express + pg, prepared", row.process, load(row.address, places.map((place) => `/prepared/${place + 1}`)), generator, database),
        new LoadedServer("Express", json.process, load(json.address, places.map(() => "/json")), generator, database),
      ],
      plan,
    );
    return [
      compared(result, { scenario: "read by id", ours: "read", limit: "Express + pg", bound: { direction: "atLeast", wanted: 0.75, goal: 0.95 } }),
      compared(result, { scenario: "read by id", ours: "read", limit: "Express + pg, prepared" }),
      compared(result, { scenario: "read by id", ours: "read", limit: "Express" }),
      compared(result, { scenario: "session check", ours: "check", limit: "Express + pg", bound: { direction: "atLeast", wanted: 0.75 } }),
    ];
  },
};
