import { holdContest } from "../contest/hold-contest.ts";
import { LoadedServer } from "../contest/loaded-server.ts";
import { compared } from "../report/compared.ts";
import { connections } from "../stage/stage.ts";
import type { Scenario } from "./scenario.ts";

const bound = { direction: "atLeast", wanted: 0.6, goal: 0.8 } as const;

/** Lists of 100 objects without references, large and small ones. */
export const listScenario: Scenario = {
  name: "list",
  async run(stage, plan) {
    const product = await stage.runningProduct();
    const { appKey } = await stage.smallSchema();
    const limit = await stage.runningLimit("express-list");
    const loaded = (name: string, { process, address }: Pick<typeof product, "process" | "address">, path: string) => {
      const requests = product.sessionIds.map((sessionid) => ({
        method: "GET" as const,
        path,
        headers: { appkey: appKey, sessionid },
      }));
      return new LoadedServer(name, process, { address, connections, requests }, stage.generator, stage.database);
    };
    const contestants = ["Article", "Contact"].flatMap((name) => [
      loaded(`list ${name}`, product, `/v1/objects/${name}?perPage=100`),
      loaded(`Express + pg, ${name}`, limit, `/list/${name}`),
    ]);
    const result = await holdContest(contestants, plan);
    return [
      compared(result, {
        scenario: "list of 100, 1.5 kB each",
        ours: "list Article",
        limit: "Express + pg, Article",
        bound,
      }),
      compared(result, {
        scenario: "list of 100, 0.3 kB each",
        ours: "list Contact",
        limit: "Express + pg, Contact",
        bound,
      }),
    ];
  },
};
