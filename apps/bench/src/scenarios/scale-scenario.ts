import { objectIdOf } from "@sallyport/storage";
import { atLeast } from "../comparison/outcome.ts";
import {
  comparison,
  getRequests,
  rotateCredentials,
  type ReadySchema,
  spreadIndexes,
  smallRows,
} from "../comparison/bench-environment.ts";
import { sessionIdOf } from "../database/prepare-schema.ts";

const largeRows = { articles: 1_000_000, contacts: 0, users: 1_000, sessions: 100_000 };
const quickRows = { ...largeRows, articles: 100_000, sessions: 10_000 };
/** Minimum ratio of the throughput on the large database to that on the small one. */
const bound = atLeast(Math.round(1000 / 1.2) / 1000);

/** Reads and session checks on a large database, compared with a thousand objects and 500 sessions, in one process. */
export const scaleScenario = comparison("scale", async (bench, { quick }) => {
  const rows = quick ? quickRows : largeRows;
  const small = await bench.smallSchema();
  const large = await bench.schema("sallyport_large", rows);
  const product = await bench.startProduct({ "": small.schema, large: large.schema });
  const loaded = (name: string, schema: ReadySchema, sessions: number, path: (place: number) => string) => {
    const ids = spreadIndexes(sessions).map((place) => sessionIdOf(place + 1));
    return bench.loaded(
      name,
      product,
      getRequests(spreadIndexes(schema.articles).map(path), rotateCredentials(schema.appKey, ids)),
    );
  };
  const object = (schema: ReadySchema) => (place: number) => `/v1/object/${objectIdOf(schema.firstArticle + place)}`;
  const [articles, sessions] = [rows.articles, rows.sessions].map((count) => count.toLocaleString("en"));
  const [smallRead, smallCheck] = [
    `a read among ${small.articles.toLocaleString("en")}`,
    `a check among ${smallRows.sessions}`,
  ];
  return {
    candidates: [
      loaded(smallRead, small, smallRows.sessions, object(small)),
      loaded("read, large", large, rows.sessions, (place) => `/large${object(large)(place)}`),
      loaded(smallCheck, small, smallRows.sessions, () => "/_CheckSession"),
      loaded("check, large", large, rows.sessions, () => "/large/_CheckSession"),
    ],
    lines: [
      { scenario: `read among ${articles} objects`, ours: "read, large", limit: smallRead, bound },
      { scenario: `session check among ${sessions} sessions`, ours: "check, large", limit: smallCheck, bound },
    ],
  };
});
