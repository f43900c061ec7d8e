import { objectIdOf } from "@sallyport/core";
import { compared, holdContest } from "../contest/hold-contest.ts";
import { LoadedServer } from "../contest/loaded-server.ts";
import { sessionIdOf } from "../database/prepare-schema.ts";
import { connections, type ReadySchema, scattered, type Scenario, smallRows } from "../contest/stage.ts";

const largeRows = { articles: 1_000_000, contacts: 0, users: 1_000, sessions: 100_000 };
/** Of what an object or a session costs in the small database, at least this much comes out of the large one. */
const bound = { direction: "atLeast", wanted: Math.round(1000 / 1.2) / 1000 } as const;

/** Reading and checking among a million objects and 100,000 sessions, by the same process as among a thousand. */
export const scaleScenario: Scenario = {
  name: "scale",
  async run(stage, plan) {
    const small = await stage.smallSchema();
    const large = await stage.schema("sallyport_large", largeRows);
    const { process, address } = await stage.startProduct({ "": small.schema, large: large.schema });
    const loaded = (name: string, schema: ReadySchema, sessions: number, path: (place: number) => string) => {
      const ids = scattered(sessions).map((place) => sessionIdOf(place + 1));
      const requests = scattered(schema.articles).map((place, index) => ({
        method: "GET" as const,
        path: path(place),
        headers: { appkey: schema.appKey, sessionid: ids[index % ids.length] ?? "" },
      }));
      return new LoadedServer(name, process, { address, connections, requests }, stage.generator, stage.database);
    };
    const object = (schema: ReadySchema) => (place: number) => `/v1/object/${objectIdOf(schema.firstArticle + place)}`;
    const result = await holdContest(
      [
        loaded("read, small", small, smallRows.sessions, object(small)),
        loaded("read, large", large, largeRows.sessions, (place) => `/large${object(large)(place)}`),
        loaded("check, small", small, smallRows.sessions, () => "/_CheckSession"),
        loaded("check, large", large, largeRows.sessions, () => "/large/_CheckSession"),
      ],
      plan,
    );
    return [
      compared(result, { scenario: "read among 1,000,000 objects", ours: "read, large", limit: "read, small", bound }),
      compared(result, {
        scenario: "check among 100,000 sessions",
        ours: "check, large",
        limit: "check, small",
        bound,
      }),
    ];
  },
};
