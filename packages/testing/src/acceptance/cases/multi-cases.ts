import { expect } from "../../matchers/expect.ts";
import { multiResults } from "../requests/multi-results.ts";
import type { Case, Json } from "./case.ts";

const path = "/v1/multi";

/** A multi request and the code of each item; 0 is a success. */
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

const item = (title: string, element: unknown, httpStatus: number, result: unknown): Case =>
  answers(
    title,
    [{ method: "GET", path: "/_CheckSession" }, element, { method: "GET", path: "/_CheckSession" }],
    [0, httpStatus === 200 ? 0 : (result as number), 0],
    (results) => {
      // Some of the servers under test return debug messages.
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

/** Values that are not an item, or lack a member of an item. */
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

/** Paths without a route, though some look like one. */
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

/** Routes that need a request of their own. */
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

/** Multi requests that write nothing; the suite of multi requests has the others. */
export const multiCases: readonly Case[] = [
  answers("returns no results for no items", [], []),
  answers(
    "returns every result at its position",
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
    "accepts 50 items",
    Array.from({ length: 50 }, () => get("/_CheckSession")),
    Array.from({ length: 50 }, () => 0),
  ),
  refuse(
    "refuses 51 items",
    Array.from({ length: 51 }, () => get("/_CheckSession")),
    307,
  ),
  ...[null, 5, true, "text", {}, { 0: get("/_CheckSession"), length: 1 }].map((body) =>
    refuseText(`refuses ${shown(body)} as an array`, JSON.stringify(body), 307),
  ),
  refuse("requires items", undefined, 300, { ...inClear, headers: { "content-type": "application/json" } }),
  refuse("refuses invalid JSON", "[", 311, { ...inClear, headers: { "content-type": "application/json" } }),
  refuse("refuses items of another content type", "[]", 207, { headers: { "content-type": "text/plain" } }),
  {
    title: "reports the allowed method",
    as: "demo",
    path,
    expect: { code: 305, beforeSession: true, headers: { allow: "POST" } },
  },
  {
    title: "requires a session for any item",
    path,
    method: "POST",
    body: [get("/_CheckService")],
    expect: { code: 200 },
  },
  {
    title: "refuses an unknown value of atomic",
    as: "demo",
    path: `${path}?atomic=perhaps`,
    method: "POST",
    body: [],
    expect: { code: 307 },
  },
  {
    title: "refuses two values of atomic",
    as: "demo",
    path: `${path}?atomic=true&atomic=false`,
    method: "POST",
    body: [],
    expect: { code: 307 },
  },
  ...["__proto__", "constructor", "prototype"].map((name) =>
    refuseText(
      `refuses the name ${name} in the data of an item`,
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

  ...noItems.map((element) => item(`refuses ${shown(element)} as an item`, element, 400, 307)),
  ...nowhere.map((target) => item(`finds no route at ${shown(target)}`, get(target), 404, 304)),
  ...alone.map((request) => item(`refuses ${request.method} ${request.path} as an item`, request, 400, 307)),
  ...["PUT", "get", "Get", "HEAD", "OPTIONS", "TRACE", "toString", "__proto__", "", "GET "].map((method) =>
    item(`refuses the method ${shown(method)} for lists`, { method, path: "/v1/objects/Customer" }, 405, 305),
  ),
  item("tolerates doubled slashes and a bare question mark", get("//_CheckSession/?"), 200, {}),
  item("ignores unknown parameters", get("/_CheckSession?a=1&a=1&toString=2"), 200, {}),
  item("ignores unneeded data", { ...get("/_CheckSession"), data: [1] }, 200, {}),
  item("ignores unneeded data null", { ...get("/_CheckSession"), data: null }, 200, {}),
  item("reports an unknown object", get("/v1/object/ZZZZZZZ"), 404, 304),
  item("refuses an invalid query string", get("/v1/objects/Customer?perPage=-1"), 400, 307),
  item("refuses a query string with two values", get("/v1/objects/Customer?page=1&page=2"), 400, 307),
  item("refuses a query of invalid JSON", get("/v1/objects/Customer?query={"), 400, 308),
  item("refuses a query that is not an object", get("/v1/objects/Customer?query=[]"), 400, 329),
  item("refuses badly packed parameters", get("/v1/objects/Customer?qb64=%25%25"), 400, 307),
  item("requires data for a body", { method: "POST", path: "/v1/object/Customer" }, 400, 300),
  item("refuses data that is not an object", { method: "POST", path: "/v1/object/Customer", data: null }, 400, 307),
  item(
    "refuses data that is a list",
    { method: "POST", path: "/v1/object/Customer", data: [{ Name: "Ada" }] },
    400,
    307,
  ),
  item(
    "refuses data that does not fit the class",
    { method: "POST", path: "/v1/object/Customer", data: { Nmae: "Ada" } },
    400,
    307,
  ),
  answers(
    "lists by a query string: encoded, plain and packed",
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
      "refuses writes without the right",
      [{ method: "POST", path: "/v1/object/Customer", data: { Name: "Ada" } }, get("/v1/objects/Customer?perPage=1")],
      [404, 0],
    ),
    as: "reader",
  },

  atomic("returns no results for no items in one transaction", [], 0, {
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
  ...noItems.map((element) =>
    atomic(`refuses ${shown(element)} as an item of a transaction`, [get("/_CheckSession"), element], 307),
  ),
  ...alone.map((request) =>
    atomic(`refuses ${request.method} ${request.path} in a transaction`, [get("/_CheckSession"), request], 307),
  ),
  ...["PUT", "DELETE"].map((method) =>
    atomic(
      `refuses ${method} of a class in a transaction`,
      [{ method, path: "/v1/model/structure/Never", data: {} }],
      307,
      { as: "admin" },
    ),
  ),
  atomic("refuses the structure in a transaction", [get("/_CheckSession"), get("/v1/model/structure")], 307),
  atomic("finds no such route in a transaction", [get("/_CheckSession"), get("/second/v1/objects/Customer")], 304),
  atomic(
    "refuses the method in a transaction",
    [get("/_CheckSession"), { method: "PUT", path: "/v1/objects/Customer" }],
    305,
  ),
  atomic(
    "requires data in a transaction, too",
    [get("/_CheckSession"), { method: "POST", path: "/v1/object/Customer" }],
    300,
  ),
  atomic(
    "fails with the code of the failed item",
    [get("/_CheckSession"), get("/v1/object/ZZZZZZZ"), get("/v1/objects/Customer?perPage=1")],
    304,
  ),
  atomic(
    "checks all items before it executes any",
    [get("/v1/object/ZZZZZZZ"), get("/v1/objects/Customer?query={")],
    308,
  ),
  atomic(
    "refuses writes without the right in a transaction",
    [{ method: "POST", path: "/v1/object/Customer", data: { Name: "Ada" } }],
    404,
    { as: "reader" },
  ),
];
