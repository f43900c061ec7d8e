import { objectIdOf } from "@sallyport/core";
import { holdContest } from "../contest/hold-contest.ts";
import { LoadedServer } from "../contest/loaded-server.ts";
import type { LoadRequest } from "../load/load-job.ts";
import { compared } from "../report/compared.ts";
import { connections } from "../stage/stage.ts";
import { scattered } from "./scattered.ts";
import type { Scenario } from "./scenario.ts";

const reads = 10;

/** Ten reads in one request, beside ten requests. */
export const multiScenario: Scenario = {
  name: "multi",
  async run(stage, plan) {
    const { process, address, sessionIds } = await stage.runningProduct();
    const { firstArticle, articles, appKey } = await stage.smallSchema();
    const paths = scattered(articles).map((place) => `/v1/object/${objectIdOf(firstArticle + place)}`);
    const headers = (index: number) => ({ appkey: appKey, sessionid: sessionIds[index % sessionIds.length] ?? "" });
    const single: LoadRequest[] = paths.map((path, index) => ({ method: "GET", path, headers: headers(index) }));
    const many = (path: string): LoadRequest[] =>
      paths.slice(0, paths.length / reads).map((_, index) => {
        const items = paths.slice(index * reads, (index + 1) * reads).map((each) => ({ method: "GET", path: each }));
        return {
          method: "POST",
          path,
          headers: { ...headers(index), "content-type": "application/json" },
          body: JSON.stringify(items),
        };
      });
    const contestants = {
      read: { requests: single, each: 1 },
      "ten reads in one": { requests: many("/v1/multi"), each: reads },
      "ten reads in one transaction": { requests: many("/v1/multi?atomic=true"), each: reads },
    };
    for (const {
      requests: [first],
    } of [contestants["ten reads in one"], contestants["ten reads in one transaction"]])
      await requireResults(address, first);
    const result = await holdContest(
      Object.entries(contestants).map(
        ([name, job]) =>
          new LoadedServer(name, process, { address, connections, ...job }, stage.generator, stage.database),
      ),
      plan,
    );
    return [
      compared(result, {
        scenario: "ten reads in one request",
        ours: "ten reads in one",
        limit: "read",
        bound: { direction: "atLeast", wanted: 2 },
      }),
      compared(result, {
        scenario: "ten reads in one transaction",
        ours: "ten reads in one transaction",
        limit: "read",
      }),
    ];
  },
};

/** The load looks at the status of the answer only, which says nothing about the items. */
async function requireResults(
  address: string,
  { path = "", headers = {}, body = "" }: Partial<LoadRequest> = {},
): Promise<void> {
  const answer = await fetch(address + path, { method: "POST", headers, body });
  const { data } = (await answer.json()) as { data?: { httpStatus: number }[] };
  const statuses = data?.map(({ httpStatus }) => httpStatus) ?? [];
  if (statuses.length !== reads || statuses.some((status) => status !== 200))
    throw new Error(`${path} reads ${statuses.join()}.`);
}
