import { compared, holdContest } from "../contest/hold-contest.ts";
import { LoadedServer } from "../contest/loaded-server.ts";
import { connections, type RunningLimit, scattered, type Scenario } from "../contest/stage.ts";
import { fillQueryTables } from "../database/sample-data.ts";
import { sessionIdOf } from "../database/prepare-schema.ts";

const rows = { articles: 0, contacts: 1_000_000, orders: 1_000, users: 100, sessions: 500 };
const perShelf = 100;
const indexed = ["Number", "Shelf"];

const list = "/v1/objects/Contact?perPage=100&count=capped";
const sorted = `${list}&query=${encodeURIComponent('{"sort":["Number"]}')}`;

function onShelf(shelf: number): string {
  return `${list}&query=${encodeURIComponent(JSON.stringify({ where: { Shelf: shelf } }))}`;
}

/** A filter with an index among a million objects, a reference in each object of a list, and a page deep in the list. */
export const queryScenario: Scenario = {
  name: "query",
  async run(stage, plan) {
    const schema = await stage.schema("sallyport_query", rows, indexed);
    const product = await stage.startProduct({ "": schema.schema });
    await stage.builtIndexes(schema, indexed);
    const limit = await stage.runningLimit("express-query");
    await fillQueryTables(stage.database, schema.schema);

    const ids = scattered(rows.sessions).map((place) => sessionIdOf(place + 1));
    const headersOf = (index: number) => ({ appkey: schema.appKey, sessionid: ids[index % ids.length] ?? "" });
    const loaded = (name: string, { process, address }: RunningLimit, paths: readonly string[]) => {
      const requests = paths.map((path, index) => ({ method: "GET" as const, path, headers: headersOf(index) }));
      return new LoadedServer(name, process, { address, connections, requests }, stage.generator, stage.database);
    };
    const shelves = scattered(rows.contacts / perShelf);
    const deep = `${sorted}&cursor=${await cursorAfter(`${product.address}${sorted}&page=4999`, headersOf(0))}`;
    const result = await holdContest(
      [
        loaded("filter", product, shelves.map(onShelf)),
        loaded(
          "Express + pg, filter",
          limit,
          shelves.map((shelf) => `/shelf/${shelf}`),
        ),
        loaded("references", product, ["/v1/objects/Order?perPage=100"]),
        loaded("Express + pg, join", limit, ["/orders"]),
        loaded("page 5,000", product, [deep]),
        loaded("page 0", product, [sorted]),
      ],
      plan,
    );
    return [
      compared(result, {
        scenario: "100 of 1,000,000 by an index",
        ours: "filter",
        limit: "Express + pg, filter",
        bound: { direction: "atLeast", wanted: 0.6 },
      }),
      compared(result, {
        scenario: "list of 100 with a reference",
        ours: "references",
        limit: "Express + pg, join",
        bound: { direction: "atLeast", wanted: 0.5 },
      }),
      compared(result, {
        scenario: "page 5,000 by cursor",
        ours: "page 5,000",
        limit: "page 0",
        bound: { direction: "atLeast", wanted: Math.round(1000 / 1.5) / 1000 },
      }),
    ];
  },
};

/** The cursor that the list at this address ends with. */
async function cursorAfter(address: string, headers: Record<string, string>): Promise<string> {
  const answer = await fetch(address, { headers });
  const { data } = (await answer.json()) as { data?: { "~Cursor"?: string } };
  const cursor = data?.["~Cursor"];
  if (cursor === undefined) throw new Error(`The list ends without a cursor: ${answer.status}.`);
  return encodeURIComponent(cursor);
}
