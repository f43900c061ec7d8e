import { multiResults } from "../client.ts";
import type { Case, Json } from "./case.ts";

const path = "/v1/multi";

/** A multi request that is answered, with the code of each item; 0 stands for success. */
const answers = (
  title: string,
  items: readonly unknown[],
  codes: readonly number[],
  check: (results: Json) => void = () => {},
): Case => ({
  title,
  as: "demo",
  path,
  method: "POST",
  body: items,
  expect: {
    code: 0,
    data: (envelopes: Json) => {
      const results: Json = multiResults(envelopes);
      expect(results.map(({ httpStatus, result }: Json) => (httpStatus === 200 ? 0 : result))).toEqual(codes);
      check(results);
    },
  },
});

const item = (title: string, given: unknown, httpStatus: number, result: unknown): Case =>
  answers(
    title,
    [{ method: "GET", path: "/_CheckSession" }, given, { method: "GET", path: "/_CheckSession" }],
    [0, httpStatus === 200 ? 0 : (result as number), 0],
    (results) => {
      // Some of the servers under test are configured to tell what they object to.
      const debugMessage =
        httpStatus === 200 || results[1].debugMessage === undefined ? {} : { debugMessage: expect.any(String) };
      expect(results[1]).toEqual({ httpStatus, result, ...debugMessage });
    },
  );

const atomic = (title: string, items: readonly unknown[], code: number, more: Partial<Case> = {}): Case => ({
  title,
  as: "demo",
  path: `${path}?atomic=true`,
  method: "POST",
  body: items,
  expect: { code },
  ...more,
});

const get = (target: unknown) => ({ method: "GET", path: target });
const shown = (value: unknown): string => JSON.stringify(value).slice(0, 60);

const refuse = (title: string, body: unknown, code: number, more: Partial<Case> = {}): Case => ({
  title,
  as: "demo",
  path,
  method: "POST",
  body,
  expect: { code },
  ...more,
});
const refuseText = (title: string, json: string, code: number, more: Partial<Case> = {}): Case => ({
  title,
  as: "demo",
  path,
  method: "POST",
  json,
  expect: { code },
  ...more,
});

const inClear = { modes: ["session", "token", "encrypted"] } as const;

/** What is no item, or names none of the members that an item has. */
const noItems: readonly unknown[] = [
  null,
  5,
  "GET /_CheckSession",
  true,
  [],
  ["GET", "/_CheckSession"],
  {},
  { method: "GET" },
  { path: "/_CheckSession" },
  { method: 1, path: "/_CheckSession" },
  { method: ["GET"], path: "/_CheckSession" },
  { method: "GET", path: ["/_CheckSession"] },
  { method: "GET", path: null },
  { method: "GET", path: "/_CheckSession", ifMatch: '"1"' },
  { method: "GET", path: "/_CheckSession", headers: { appkey: "other" } },
  { Method: "GET", Path: "/_CheckSession" },
  get(`/_CheckSession?${"x".repeat(16 * 1024)}`),
  get(`/_CheckSession?${"\u{1f469}".repeat(4 * 1024)}`),
];

/** Paths that are those of no route, though some look like it. */
const nowhere: readonly string[] = [
  "",
  "/",
  "v1/objects/Customer",
  "/v1/nothing",
  "/v3/objects/Customer",
  "/v1/objects",
  "/second/v1/objects/Customer",
  "/toString",
  "/v1/object/__proto__/constructor",
  "http://127.0.0.1/v1/objects/Customer",
  "//second/v1/objects/Customer",
  "\\v1\\objects\\Customer",
  "/v1\\objects/Customer",
  "/v1/objects%2FCustomer",
  "/v1/objects/%2e%2e/objects/Customer",
  "/v1/../v1/objects/Customer",
  "/v1/./objects/Customer",
  "/v1/objects/Customer;x=1",
  "/v1/objects/Customer%3Bx",
  "/v1/objects/Customer%00",
  "/v1/objects/Customer%",
  "/v1/objects/Customer%c3",
  "/v1/objects/Customer\u0000",
  "/v1/objects/Customer\r\nappkey: other",
  "/v1/objects/Customer ",
  " /v1/objects/Customer",
  "/v1/objects/Küche",
  "/v1/objects/Cus\u200btomer",
  "/.well-known/jwks.json",
  "/healthz",
  "/metrics",
  "/docs",
];

const credentials = { user: "demo", pass: "demo", appNames: ["demo-app"] };

/** Routes that are for requests of their own. */
const alone: readonly { readonly method: string; readonly path: string; readonly data?: unknown }[] = [
  { method: "POST", path: "/v1/login", data: credentials },
  { method: "POST", path: "/v2/login", data: credentials },
  { method: "POST", path: "/v2/login/secure", data: {} },
  { method: "GET", path: "/v2/login/key" },
  { method: "GET", path: "/v2/login/secure/key" },
  { method: "POST", path: "/v1/logout" },
  { method: "GET", path: "/openapi.json" },
  { method: "POST", path: "/v1/multi", data: [] },
  { method: "POST", path: "//v1///multi/", data: [] },
  { method: "POST", path: "/v1/%6dulti?atomic=true", data: [get("/_CheckSession")] },
];

/** Multi requests, as far as nothing is written: what is written stands in the suite of multi requests. */
export const multiCases: readonly Case[] = [
  answers("answers nothing to no items", [], []),
  answers(
    "answers every item in its place",
    [get("/v1/objects/Customer?perPage=2"), get("/v1/nothing"), get("/_CheckSession"), get("/_CheckService")],
    [0, 304, 0, 0],
    ([list, , session, service]) => {
      expect(list.result["~Elements"]).toHaveLength(2);
      expect([session, service]).toEqual([
        { httpStatus: 200, result: {} },
        { httpStatus: 200, result: { applicationName: expect.any(String), applicationVersion: expect.any(String) } },
      ]);
    },
  ),
  answers(
    "takes 50 items",
    Array.from({ length: 50 }, () => get("/_CheckSession")),
    Array.from({ length: 50 }, () => 0),
  ),
  refuse(
    "refuses 51 items",
    Array.from({ length: 51 }, () => get("/_CheckSession")),
    307,
  ),
  ...[null, 5, true, "text", {}, { 0: get("/_CheckSession"), length: 1 }].map((body) =>
    refuseText(`refuses ${shown(body)} for an array`, JSON.stringify(body), 307),
  ),
  refuse("needs items", undefined, 300, { ...inClear, headers: { "content-type": "application/json" } }),
  refuse("refuses what is no JSON", "[", 311, { ...inClear, headers: { "content-type": "application/json" } }),
  refuse("refuses items of another content type", "[]", 207, { headers: { "content-type": "text/plain" } }),
  {
    title: "tells which method it takes",
    as: "demo",
    path,
    expect: { code: 305, beforeSession: true, headers: { allow: "POST" } },
  },
  { title: "needs a session for any item", path, method: "POST", body: [get("/_CheckService")], expect: { code: 200 } },
  {
    title: "needs to know whether it is atomic",
    as: "demo",
    path: `${path}?atomic=perhaps`,
    method: "POST",
    body: [],
    expect: { code: 307 },
  },
  {
    title: "refuses to be atomic and not",
    as: "demo",
    path: `${path}?atomic=true&atomic=false`,
    method: "POST",
    body: [],
    expect: { code: 307 },
  },
  ...["__proto__", "constructor", "prototype"].map((name) =>
    refuseText(
      `refuses the name ${name} in what an item carries`,
      `[{"method":"POST","path":"/v1/object/Customer","data":{"${name}":{}}}]`,
      307,
    ),
  ),
  refuseText("refuses the name __proto__ in an item", '[{"__proto__":{"method":"GET"},"path":"/_CheckSession"}]', 307),
  refuseText(
    "refuses items beyond the limits of all JSON",
    `[{"method":"POST","path":"/v1/object/Customer","data":${"[".repeat(31)}${"]".repeat(31)}}]`,
    307,
  ),
  refuse(
    "refuses more than a mebibyte of items",
    [{ method: "POST", path: "/v1/object/Customer", data: { Name: "x".repeat(1024 * 1024) } }],
    801,
  ),

  ...noItems.map((given) => item(`refuses ${shown(given)} for an item`, given, 400, 307)),
  ...nowhere.map((target) => item(`finds nothing at ${shown(target)}`, get(target), 404, 304)),
  ...alone.map((given) => item(`leaves ${given.method} ${given.path} to a request of its own`, given, 400, 307)),
  ...["PUT", "get", "Get", "HEAD", "OPTIONS", "TRACE", "toString", "__proto__", "", "GET "].map((method) =>
    item(`knows no method ${shown(method)} of lists`, { method, path: "/v1/objects/Customer" }, 405, 305),
  ),
  item("tolerates what an address may look like", get("//_CheckSession/?"), 200, {}),
  item("ignores parameters that nobody knows", get("/_CheckSession?a=1&a=1&toString=2"), 200, {}),
  item("ignores data that nobody asks for", { ...get("/_CheckSession"), data: [1] }, 200, {}),
  item("ignores data null that nobody asks for", { ...get("/_CheckSession"), data: null }, 200, {}),
  item("finds an object that is not there", get("/v1/object/ZZZZZZZ"), 404, 304),
  item("refuses a query string that is no query", get("/v1/objects/Customer?perPage=-1"), 400, 307),
  item("refuses a query string with two values", get("/v1/objects/Customer?page=1&page=2"), 400, 307),
  item("refuses a query that does not parse", get("/v1/objects/Customer?query={"), 400, 308),
  item("refuses a query that is no object", get("/v1/objects/Customer?query=[]"), 400, 329),
  item("refuses parameters that are packed badly", get("/v1/objects/Customer?qb64=%25%25"), 400, 307),
  item("needs data where a body is needed", { method: "POST", path: "/v1/object/Customer" }, 400, 300),
  item("refuses data that is no object", { method: "POST", path: "/v1/object/Customer", data: null }, 400, 307),
  item(
    "refuses data that is a list",
    { method: "POST", path: "/v1/object/Customer", data: [{ Name: "Ada" }] },
    400,
    307,
  ),
  item(
    "refuses data that is none of the class",
    { method: "POST", path: "/v1/object/Customer", data: { Nmae: "Ada" } },
    400,
    307,
  ),
  answers(
    "lists what a query string asks for, encoded, plain and packed",
    [
      "perPage=1&query=%7B%22sort%22%3A%5B%22-Name%22%5D%7D",
      'perPage=1&query={"sort":["-Name"]}',
      `qb64=${Buffer.from('perPage=1&query={"sort":["-Name"]}').toString("base64url")}`,
    ].map((query) => get(`/v1/objects/Customer?${query}`)),
    [0, 0, 0],
    ([first, ...others]) => {
      expect(first.result["~Elements"]).toHaveLength(1);
      for (const other of others) expect(other.result["~Elements"]).toEqual(first.result["~Elements"]);
    },
  ),
  {
    ...answers(
      "lets nobody write who may only read",
      [{ method: "POST", path: "/v1/object/Customer", data: { Name: "Ada" } }, get("/v1/objects/Customer?perPage=1")],
      [404, 0],
    ),
    as: "reader",
  },

  atomic("answers nothing to no items in one transaction", [], 0, {
    expect: { code: 0, data: (results) => expect(results).toEqual([]) },
  }),
  atomic("reads in one transaction", [get("/_CheckSession"), get("/v1/objects/Customer?perPage=1")], 0, {
    expect: {
      code: 0,
      data: (results) =>
        expect(multiResults(results)).toMatchObject([
          { httpStatus: 200, result: {} },
          { httpStatus: 200, result: { "~Elements": [{}] } },
        ]),
    },
  }),
  ...noItems.map((given) =>
    atomic(`refuses ${shown(given)} for an item of a transaction`, [get("/_CheckSession"), given], 307),
  ),
  ...alone.map((given) =>
    atomic(`leaves ${given.method} ${given.path} out of transactions`, [get("/_CheckSession"), given], 307),
  ),
  ...["PUT", "DELETE"].map((method) =>
    atomic(
      `leaves ${method} of a class out of transactions`,
      [{ method, path: "/v1/model/structure/Never", data: {} }],
      307,
      { as: "admin" },
    ),
  ),
  atomic("leaves what shows the classes out of transactions", [get("/_CheckSession"), get("/v1/model/structure")], 307),
  atomic("finds no such path in a transaction", [get("/_CheckSession"), get("/second/v1/objects/Customer")], 304),
  atomic(
    "knows no such method in a transaction",
    [get("/_CheckSession"), { method: "PUT", path: "/v1/objects/Customer" }],
    305,
  ),
  atomic(
    "needs data in a transaction, too",
    [get("/_CheckSession"), { method: "POST", path: "/v1/object/Customer" }],
    300,
  ),
  atomic(
    "fails with the code of the item that fails",
    [get("/_CheckSession"), get("/v1/object/ZZZZZZZ"), get("/v1/objects/Customer?perPage=1")],
    304,
  ),
  atomic(
    "refuses what the items ask for before it does any of them",
    [get("/v1/object/ZZZZZZZ"), get("/v1/objects/Customer?query={")],
    308,
  ),
  atomic(
    "lets nobody write in a transaction who may only read",
    [{ method: "POST", path: "/v1/object/Customer", data: { Name: "Ada" } }],
    404,
    { as: "reader" },
  ),
];
