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
    const { firstArticle, articles, appKey } = await stage.smallSchema();
    const row = await stage.runningLimit("express-row");
    const json = await stage.runningLimit("express-json");

    const places = scattered(articles);
    const { sessionIds } = product;
    const headers = (index: number) => ({ appkey: appKey, sessionid: sessionIds[index % sessionIds.length] ?? "" });
    const loaded = (
      name: string,
      { process, address }: Pick<typeof product, "process" | "address">,
      path: (place: number) => string,
    ) => {
      const requests = places.map((place, index) => ({
        method: "GET" as const,
        path: path(place),
        headers: headers(index),
      }));
      return new LoadedServer(name, process, { address, connections, requests }, stage.generator, stage.database);
    };
    const result = await holdContest(
      [
        loaded("read", product, (place) => `/v1/object/${objectIdOf(firstArticle + place)}`),
        loaded("Express + pg", row, (place) => `/plain/${place + 1}`),
        loaded("check", product, () => "/_CheckSession"),
        loaded("Express + pg, prepared", row, (place) => `/prepared/${place + 1}`),
        loaded("Express", json, () => "/json"),
      ],
      plan,
    );
    const read = { scenario: "read by id", ours: "read" };
    return [
      compared(result, { ...read, limit: "Express + pg", bound: { direction: "atLeast", wanted: 0.75, goal: 0.95 } }),
      compared(result, { ...read, limit: "Express + pg, prepared" }),
      compared(result, { ...read, limit: "Express" }),
      compared(result, {
        scenario: "session check",
        ours: "check",
        limit: "Express + pg",
        bound: { direction: "atLeast", wanted: 0.75 },
      }),
    ];
  },
};
