import { objectIdOf } from "@sallyport/storage";
import { logInForToken, SecureClient, tokenLogInRequest } from "../comparison/log-in.ts";
import { atLeast, atMost } from "../comparison/outcome.ts";
import {
  connections,
  comparison,
  getRequests,
  rotateCredentials,
  json,
  type RunningServer,
  spreadIndexes,
  smallRows,
} from "../comparison/bench-environment.ts";
import { type LoadRequest, send } from "../processes/load-generator.ts";

/** Object reads by id, and session checks. */
export const readScenario = comparison("read", async (bench) => {
  const product = await bench.runningProduct();
  const { firstArticle, articles } = await bench.smallSchema();
  const row = await bench.runningLimit("express-row");
  const places = spreadIndexes(articles);
  const loaded = (name: string, server: RunningServer, path: (place: number) => string) =>
    bench.loaded(name, server, getRequests(places.map(path), product.headers));
  const read = { scenario: "read by id", ours: "read" };
  return {
    candidates: [
      loaded("read", product, (place) => `/v1/object/${objectIdOf(firstArticle + place)}`),
      loaded("Express + pg", row, (place) => `/plain/${place + 1}`),
      loaded("check", product, () => "/_CheckSession"),
      loaded("Express + pg, prepared", row, (place) => `/prepared/${place + 1}`),
      loaded("Express", await bench.runningLimit("express-json"), () => "/json"),
    ],
    lines: [
      { ...read, limit: "Express + pg", bound: atLeast(0.75, 0.95) },
      { ...read, limit: "Express + pg, prepared" },
      { ...read, limit: "Express" },
      { scenario: "session check", ours: "check", limit: "Express + pg", bound: atLeast(0.75) },
    ],
  };
});

/**
 * Reads by id with two workers, and with one process. Each has the same number of connections. The load generator shares
 * the processors, so that the bound is one for the processor time of a request.
 */
export const workersScenario = comparison("workers", async (bench) => {
  const { firstArticle, articles, schema } = await bench.smallSchema();
  const { headers, ...alone } = await bench.runningProduct();
  const requests = getRequests(
    spreadIndexes(articles).map((place) => `/v1/object/${objectIdOf(firstArticle + place)}`),
    headers,
  );
  const [ours, limit] = ["two workers", "one process"];
  return {
    candidates: [
      bench.loaded(ours, await bench.startProduct({ "": schema }, { workers: 2 }), requests, {
        connections: 2 * connections,
      }),
      bench.loaded(limit, alone, requests),
    ],
    lines: [
      { scenario: "read by id with two workers", ours, limit },
      (result) => {
        const [two, one] = [result.of(ours).cpu, result.of(limit).cpu];
        const scenario = "CPU time of a read with two workers";
        return {
          scenario,
          unit: "ms",
          ours: two / 1_000,
          limit: one / 1_000,
          limitName: limit,
          ratio: two / one,
          bound: atMost(1.1),
        };
      },
    ],
  };
});

/** Lists of 100 objects without references, large and small, and as gzip. */
export const listScenario = comparison("list", async (bench) => {
  const product = await bench.runningProduct();
  const limit = await bench.runningLimit("express-list");
  const loaded = (name: string, server: RunningServer, path: string, coding: Readonly<Record<string, string>> = {}) => {
    const headers = (index: number) => ({ ...product.headers(index), ...coding });
    return bench.loaded(name, server, getRequests(Array<string>(connections).fill(path), headers));
  };
  const gzip = { "accept-encoding": "gzip" };
  const line = (size: string, name: string) => ({
    scenario: `list of 100, ${size} each`,
    ours: `list ${name}`,
    limit: `Express + pg, ${name}`,
    bound: atLeast(0.6, 0.8),
  });
  return {
    candidates: [
      ...["Article", "Contact"].flatMap((name) => [
        loaded(`list ${name}`, product, `/v1/objects/${name}?perPage=100`),
        loaded(`Express + pg, ${name}`, limit, `/list/${name}`),
      ]),
      loaded("list Article, gzip", product, "/v1/objects/Article?perPage=100", gzip),
      loaded("Express + pg + zlib, Article", limit, "/list/Article", gzip),
    ],
    lines: [
      line("1.5 kB", "Article"),
      line("0.3 kB", "Contact"),
      {
        scenario: "list of 100, 1.5 kB each, as gzip",
        ours: "list Article, gzip",
        limit: "Express + pg + zlib, Article",
        bound: atLeast(0.6),
      },
      { scenario: "list of 100 as gzip", ours: "list Article, gzip", limit: "list Article" },
    ],
  };
});

/** Enough articles for 1 MiB of JSON. */
const mebibyte = "/v1/objects/Article?perPage=640";

/** The same reads in the three session modes. */
export const modeReadScenario = comparison("mode-read", async (bench) => {
  const product = await bench.runningProduct();
  const { firstArticle, articles, appKey } = await bench.smallSchema();
  const secure = await SecureClient.of(product.address, appKey);
  const users = Array.from({ length: connections }, (_, index) => (index % smallRows.users) + 1);
  const logIn = (user: number) => logInForToken(product.address, tokenLogInRequest(appKey, user));
  const asToken = rotateCredentials(appKey, await Promise.all(users.map(logIn)), "authorization");
  const secureSessions = await Promise.all(users.map((user) => secure.logIn(product.address, user)));
  const secureTokens = secureSessions.map(({ token }) => token);
  const asSecure = rotateCredentials(appKey, secureTokens, "secure-token");

  const single = spreadIndexes(articles).map((place) => `/v1/object/${objectIdOf(firstArticle + place)}`);
  const lists = single.map(() => mebibyte);
  return {
    candidates: [
      bench.loaded("a read", product, getRequests(single, product.headers)),
      bench.loaded("token read", product, getRequests(single, asToken)),
      bench.loaded("secure read", product, getRequests(single, asSecure)),
      bench.loaded("a plain one", product, getRequests(lists, product.headers)),
      bench.loaded("1 MiB, secure", product, getRequests(lists, asSecure)),
    ],
    lines: [
      { scenario: "read with a token", ours: "token read", limit: "a read", bound: atLeast(0.9) },
      { scenario: "secure read", ours: "secure read", limit: "a read", bound: atLeast(0.8, 0.9) },
      { scenario: "secure response of 1 MiB", ours: "1 MiB, secure", limit: "a plain one", bound: atLeast(0.5) },
    ],
  };
});

const reads = 10;

/** Ten reads in one multi request, compared with ten requests. */
export const multiScenario = comparison("multi", async (bench) => {
  const product = await bench.runningProduct();
  const { firstArticle, articles } = await bench.smallSchema();
  const paths = spreadIndexes(articles).map((place) => `/v1/object/${objectIdOf(firstArticle + place)}`);
  const many = async (name: string, path: string) => {
    const requests = paths.slice(0, paths.length / reads).map((_, index): LoadRequest => {
      const items = paths.slice(index * reads, (index + 1) * reads).map((each) => ({ method: "GET", path: each }));
      return { method: "POST", path, headers: { ...product.headers(index), ...json }, body: JSON.stringify(items) };
    });
    await requireResults(product.address, requests[0] as LoadRequest, reads);
    return bench.loaded(name, product, requests, { each: reads });
  };
  return {
    candidates: [
      bench.loaded("ten requests", product, getRequests(paths, product.headers)),
      await many("ten reads in one", "/v1/multi"),
      await many("ten reads in one transaction", "/v1/multi?atomic=true"),
    ],
    lines: [
      { scenario: "ten reads in one request", ours: "ten reads in one", limit: "ten requests", bound: atLeast(2) },
      { scenario: "ten reads in one transaction", ours: "ten reads in one transaction", limit: "ten requests" },
    ],
  };
});

/** Checks the item statuses: the load generator checks only the status of the whole answer. */
export async function requireResults(address: string, request: LoadRequest, count: number): Promise<void> {
  const answer = await send(address, request);
  const { data } = (await answer.json()) as { data?: { httpStatus: number }[] };
  const statuses = data?.map(({ httpStatus }) => httpStatus) ?? [];
  if (statuses.length !== count || statuses.some((status) => status !== 200))
    throw new Error(`${request.path} answers ${statuses.join()}.`);
}
