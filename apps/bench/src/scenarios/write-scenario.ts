import { objectIdOf } from "@sallyport/storage";
import { atLeast } from "../comparison/outcome.ts";
import { connections, comparison, json } from "../comparison/bench-environment.ts";
import { contactAttributes } from "../database/sample-data.ts";
import type { LoadRequest } from "../processes/load-generator.ts";
import { requireResults } from "./read-scenarios.ts";

const created = JSON.stringify(contactAttributes);
/** Objects of one request that creates several. */
const several = 100;
const createdTogether = JSON.stringify(Array.from({ length: several }, () => contactAttributes));
const changed = JSON.stringify({ City: "Cuxhaven", CreditLimit: 30_000 });

/** Creates objects, one by one and a hundred by one request, and updates each object from the version in the last answer. */
export const writeScenario = comparison("write", async (bench) => {
  const product = await bench.runningProduct();
  const { firstArticle, articles } = await bench.smallSchema();
  const limit = await bench.runningLimit("express-write");
  const places = Array.from({ length: connections }, (_, place) => place);
  const headers = (place: number) => ({ ...json, ...product.headers(place) });
  const create = (path: string, own: LoadRequest["headers"]): LoadRequest => {
    return { method: "POST", path, headers: own, body: created };
  };
  const creations = places.map((place) => create("/v1/object/Contact", headers(place)));
  const together = places.map((place): LoadRequest => {
    return { method: "POST", path: "/v1/objects/Contact", headers: headers(place), body: createdTogether };
  });
  await requireResults(product.address, together[0] as LoadRequest, several);
  const update = (path: string, own: LoadRequest["headers"]): LoadRequest => {
    return { method: "PATCH", path, headers: own, body: changed, conditional: true };
  };
  // Each connection updates a contact of its own. The contacts follow the articles in both databases.
  const idOf = (place: number) => objectIdOf(firstArticle + articles + place);
  const updates = places.map((place) => update(`/v1/object/${idOf(place)}`, headers(place)));
  const bareUpdates = places.map((place) => update(`/object/${articles + place + 1}`, json));
  return {
    candidates: [
      bench.loaded("create", product, creations),
      bench.loaded("create by the hundred", product, together, { each: several }),
      bench.loaded("Express + pg, insert", limit, [create("/object/Contact", json)]),
      bench.loaded("update", product, updates, { apart: true }),
      bench.loaded("Express + pg, update", limit, bareUpdates, { apart: true }),
    ],
    lines: [
      { scenario: "create", ours: "create", limit: "Express + pg, insert", bound: atLeast(0.85) },
      { scenario: "update with If-Match", ours: "update", limit: "Express + pg, update", bound: atLeast(0.85) },
      { scenario: "create by the hundred", ours: "create by the hundred", limit: "create", bound: atLeast(5) },
    ],
  };
});
