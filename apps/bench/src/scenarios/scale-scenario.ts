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
/** Minimum ratio of the throughput on the large database to that on the small one. */
const bound = atLeast(Math.round(1000 / 1.2) / 1000);

/** Reads and session checks on a million objects and 100,000 sessions, compared with a thousand, in one process. */
export const scaleScenario = comparison("scale", async (bench) => {
  const small = await bench.smallSchema();
  const large = await bench.schema("sallyport_large", largeRows);
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
  return {
    candidates: [
      loaded("read, small", small, smallRows.sessions, object(small)),
      loaded("read, large", large, largeRows.sessions, (place) => `/large${object(large)(place)}`),
      loaded("check, small", small, smallRows.sessions, () => "/_CheckSession"),
      loaded("check, large", large, largeRows.sessions, () => "/large/_CheckSession"),
    ],
    lines: [
      { scenario: "read among 1,000,000 objects", ours: "read, large", limit: "read, small", bound },
      { scenario: "check among 100,000 sessions", ours: "check, large", limit: "check, small", bound },
    ],
  };
});
