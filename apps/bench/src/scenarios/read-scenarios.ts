import { objectIdOf } from "@sallyport/core";
import { compared, holdContest } from "../contest/hold-contest.ts";
import { LoadedServer } from "../contest/loaded-server.ts";
import { connections, scattered, type Scenario, smallRows } from "../contest/stage.ts";
import type { LoadRequest } from "../processes/load-generator.ts";
import { logInForToken, SecureClient, tokenLogInRequest } from "../contest/log-in.ts";

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

/** As many articles as make 1 MiB of JSON. */
const mebibyte = "/v1/objects/Article?perPage=640";

/** The same reads in the three modes. */
export const modeReadScenario: Scenario = {
  name: "mode-read",
  async run(stage, plan) {
    const { process, address, sessionIds } = await stage.runningProduct();
    const { firstArticle, articles, appKey } = await stage.smallSchema();
    const secure = await SecureClient.of(address, appKey);
    const users = Array.from({ length: connections }, (_, index) => (index % smallRows.users) + 1);
    const tokens = await Promise.all(users.map((user) => logInForToken(address, tokenLogInRequest(appKey, user))));
    const secureTokens = await Promise.all(users.map((user) => secure.logIn(address, user)));

    const places = scattered(articles);
    const loaded = (name: string, header: string, credentials: readonly string[], path: (place: number) => string) => {
      const requests = places.map((place, index) => ({
        method: "GET" as const,
        path: path(place),
        headers: { appkey: appKey, [header]: credentials[index % credentials.length] ?? "" },
      }));
      return new LoadedServer(name, process, { address, connections, requests }, stage.generator, stage.database);
    };
    const read = (place: number) => `/v1/object/${objectIdOf(firstArticle + place)}`;
    const result = await holdContest(
      [
        loaded("read", "sessionid", sessionIds, read),
        loaded("token read", "authorization", tokens, read),
        loaded("secure read", "secure-token", secureTokens, read),
        loaded("1 MiB", "sessionid", sessionIds, () => mebibyte),
        loaded("1 MiB, secure", "secure-token", secureTokens, () => mebibyte),
      ],
      plan,
    );
    return [
      compared(result, {
        scenario: "read with a token",
        ours: "token read",
        limit: "read",
        bound: { direction: "atLeast", wanted: 0.9 },
      }),
      compared(result, {
        scenario: "secure read",
        ours: "secure read",
        limit: "read",
        bound: { direction: "atLeast", wanted: 0.8, goal: 0.9 },
      }),
      compared(result, {
        scenario: "secure answer of 1 MiB",
        ours: "1 MiB, secure",
        limit: "1 MiB",
        bound: { direction: "atLeast", wanted: 0.5 },
      }),
    ];
  },
};

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
