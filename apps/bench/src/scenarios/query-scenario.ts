import { atLeast } from "../comparison/outcome.ts";
import {
  comparison,
  cursorAfter,
  getRequests,
  rotateCredentials,
  type RunningServer,
  spreadIndexes,
} from "../comparison/bench-environment.ts";
import { sessionIdOf } from "../database/prepare-schema.ts";
import { fillQueryTables } from "../database/sample-data.ts";

const otherRows = { articles: 0, orders: 1_000, users: 100, sessions: 500 };
const perShelf = 100;
const indexed = ["Number", "Shelf"];

const listBy = (query: object) =>
  `/v1/objects/Contact?perPage=100&count=capped&query=${encodeURIComponent(JSON.stringify(query))}`;
const sorted = listBy({ sort: ["Number"] });

/** An indexed filter on many objects, a reference join in a list, and a deep page. */
export const queryScenario = comparison("query", async (bench, { quick }) => {
  const rows = { ...otherRows, contacts: quick ? 100_000 : 1_000_000 };
  const schema = await bench.schema("sallyport_query", rows, indexed);
  const product = await bench.startProduct({ "": schema.schema });
  await bench.builtIndexes(schema, indexed);
  const limit = await bench.runningLimit("express-query");
  await fillQueryTables(bench.database, schema.schema);

  const ids = spreadIndexes(rows.sessions).map((place) => sessionIdOf(place + 1));
  const headers = rotateCredentials(schema.appKey, ids);
  const loaded = (name: string, server: RunningServer, paths: readonly string[]) =>
    bench.loaded(name, server, getRequests(paths, headers));
  const shelves = spreadIndexes(rows.contacts / perShelf);
  const [filters, bareFilters] = [
    shelves.map((Shelf) => listBy({ where: { Shelf } })),
    shelves.map((shelf) => `/shelf/${shelf}`),
  ];
  const deepPage = rows.contacts / 200;
  const deepName = `page ${deepPage.toLocaleString("en")}`;
  const deep = `${sorted}&cursor=${await cursorAfter(`${product.address}${sorted}&page=${deepPage - 1}`, headers(0))}`;
  return {
    candidates: [
      loaded("filter", product, filters),
      loaded("Express + pg, filter", limit, bareFilters),
      loaded("references", product, ["/v1/objects/Order?perPage=100"]),
      loaded("Express + pg, join", limit, ["/orders"]),
      loaded(deepName, product, [deep]),
      loaded("page 0", product, [sorted]),
    ],
    lines: [
      {
        scenario: `100 of ${rows.contacts.toLocaleString("en")} by an index`,
        ours: "filter",
        limit: "Express + pg, filter",
        bound: atLeast(0.6),
      },
      {
        scenario: "list of 100 with a reference",
        ours: "references",
        limit: "Express + pg, join",
        bound: atLeast(0.5),
      },
      {
        scenario: `${deepName} by cursor`,
        ours: deepName,
        limit: "page 0",
        bound: atLeast(Math.round(1000 / 1.5) / 1000),
      },
    ],
  };
});
