import { expect } from "../../matchers/expect.ts";
import { multiResults } from "../requests/multi-results.ts";
import type { Case } from "./case.ts";

const customers = "/v1/object/Customer";

const refuse = (
  title: string,
  path: Case["path"],
  method: string,
  body: unknown,
  code: number,
  more: Partial<Case> = {},
): Case => ({
  title,
  as: "demo",
  path,
  method,
  body,
  expect: { code, lacks: ["insert", "links", "SQL", "plpgsql"] },
  ...more,
});

const create = (title: string, body: unknown, code: number, more: Partial<Case> = {}): Case =>
  refuse(title, customers, "POST", body, code, more);

const change = (title: string, body: unknown, code: number, more: Partial<Case> = {}): Case =>
  refuse(title, ({ customerId }) => `/v1/object/${customerId}`, "PATCH", body, code, more);

const changeAll = (query: unknown, body: unknown, code: number, more: Partial<Case> = {}): Case =>
  refuse(
    `answers a change of customers by ${shown(query)} to ${shown(body)}: ${code}${more.as === undefined ? "" : ` as ${more.as}`}`,
    `/v1/objects/Customer?query=${encodeURIComponent(JSON.stringify(query))}`,
    "PATCH",
    body,
    code,
    more,
  );

const shown = (value: unknown): string => JSON.stringify(value).slice(0, 60);

/** Invalid bodies of a `Customer`. */
const nonsense: readonly Readonly<Record<string, unknown>>[] = [
  { Name: null },
  { Name: 5 },
  { Name: ["a"] },
  { Name: "zero\0" },
  { Name: "half \ud800" },
  { name: "lower case" },
  { Nmae: "misspelt" },
  { "Name ": "blank" },
  { "": 1 },
  { CreditLimit: "1000" },
  { CreditLimit: true },
  { Active: "yes" },
  { Active: 1 },
  { Since: "yesterday" },
  { Since: "2025-02-29" },
  { Since: "2025-01-01T00:00:00" },
  { Since: 20250101 },
  { City: { nested: "object" } },
  { "~ObjectID": "1" },
  { "~ClassName": "Customer" },
  { "~UUID": "11111111-1111-4111-8111-111111111111" },
  { "~Version": 1 },
  { "~": 1 },
  { toString: "x" },
  { hasOwnProperty: 1 },
];

/** Texts with names that reach a prototype. */
const prototypes = [
  '{"__proto__":{"Name":"x"}}',
  '{"constructor":1}',
  '{"prototype":1}',
  '{"Name":"x","City":{"__proto__":1}}',
];

const several = "/v1/objects/Customer";

/** Creations by one request, and the code of each; 0 is a success. Nothing is created. */
const createAll = (title: string, items: readonly unknown[], codes: readonly number[]): Case => ({
  title,
  as: "demo",
  path: several,
  method: "POST",
  body: items,
  expect: { code: 0, data: (results) => expect(multiResults(results).map(({ result }) => result)).toEqual(codes) },
});

const refuseAll = (title: string, body: unknown, code: number, more: Partial<Case> = {}): Case =>
  refuse(title, several, "POST", body, code, more);

/** Refused writes; the suite of writes has the successful ones. */
export const writeCases: readonly Case[] = [
  ...nonsense.map((body) => create(`refuses a customer from ${shown(body)}`, { Name: "Ada", ...body }, 307)),
  ...nonsense.map((body) => change(`refuses a change of a customer to ${shown(body)}`, body, 307)),
  ...prototypes.map((json) => create(`refuses a customer from ${json}`, undefined, 307, { json })),
  ...prototypes.map((json) => change(`refuses a change of a customer to ${json}`, undefined, 307, { json })),
  create("refuses an idempotency key that is too long", { Name: "Ada" }, 307, {
    headers: { "idempotency-key": "x".repeat(129) },
  }),
  create("refuses a customer without a name", { City: "Paris" }, 307),
  create("refuses a customer from an empty object", {}, 307),
  create("refuses a customer from a list", [{ Name: "Ada" }], 307),
  create("refuses a customer from an infinite number", undefined, 307, { json: '{"Name":"Ada","CreditLimit":1e999}' }),
  create(
    "refuses a customer from a body that is too deep",
    { Name: "Ada", City: Array.from({ length: 40 }).reduce((inner) => [inner], 1) },
    307,
  ),
  create("refuses a customer with an invalid serialization", { Name: "Ada" }, 307, {
    path: `${customers}?serialization=${encodeURIComponent('{"depth":9}')}`,
  }),
  create("refuses a customer with an unknown field in the serialization", { Name: "Ada" }, 307, {
    path: `${customers}?serialization=${encodeURIComponent('{"type":"custom","fields":["Nothing"]}')}`,
  }),
  create("refuses a body of more than 1 MiB", { Name: "x".repeat(1_050_000) }, 801),
  ...[
    "ZZZZZZZ",
    "",
    "11111111-1111-4111-8111-111111111111",
    "7k",
    { "~ObjectID": "7K", Name: "new" },
    { "~UUID": "x" },
    {},
    7,
    ["1"],
  ].map((Customer) =>
    refuse(
      `refuses an invoice with the reference ${shown(Customer)}`,
      ({ invoiceId }) => `/v1/object/${invoiceId}`,
      "PATCH",
      { Customer },
      307,
    ),
  ),

  createAll("creates nothing from an empty list", [], []),
  createAll(
    "refuses each of several customers alone",
    nonsense.map((body) => ({ Name: "Ada", ...body })),
    nonsense.map(() => 307),
  ),
  createAll(
    "refuses each value that is no customer",
    [null, 5, "x", [], {}, [{ Name: "Ada" }]],
    [307, 307, 307, 307, 307, 307],
  ),
  createAll(
    "refuses a customer that is too deep alone",
    [{ Name: "Ada", City: Array.from({ length: 40 }).reduce((inner) => [inner], 1) }],
    [307],
  ),
  ...[{}, { Name: "Ada" }, null, 5].map((body) =>
    refuseAll(`refuses ${shown(body)} as a list of customers`, body, 307),
  ),
  refuseAll(
    "refuses more than 1,000 customers",
    Array.from({ length: 1_001 }, () => ({})),
    307,
  ),
  refuseAll("refuses more than 8 MiB of customers", [{ Name: "x".repeat(8_400_000) }], 801),
  refuseAll("refuses customers with an invalid serialization", [], 307, {
    path: `${several}?serialization=${encodeURIComponent('{"depth":9}')}`,
  }),
  refuseAll("refuses customers with a serialization that is not JSON", [], 308, {
    path: `${several}?serialization=%7B`,
  }),
  refuseAll("refuses creations without the right", [{ Nonsense: 1 }], 404, { as: "reader" }),
  ...["Nothing", "User", "customer", "__proto__", "1"].map((name) =>
    refuseAll(`refuses creations in ${name}`, [], 304, { path: `/v1/objects/${name}` }),
  ),

  create("refuses a creation without the right", { Name: "Ada" }, 404, { as: "reader" }),
  create("checks the right to create before the body", { Nonsense: 1 }, 404, { as: "reader" }),
  change("refuses a change without the right", { Name: "Ada" }, 404, { as: "reader" }),
  change("checks the right to change before the body", { Nonsense: 1 }, 404, { as: "reader" }),
  change("checks the right to change before the version", { Name: "Ada" }, 404, {
    as: "reader",
    headers: { "if-match": '"77"' },
  }),
  change("checks the body before the version", { Nonsense: 1 }, 307, { headers: { "if-match": '"77"' } }),
  ...["User", "UserGroup", "Employee"].map((name) =>
    refuse(`hides the unreadable class ${name} at a creation`, `/v1/object/${name}`, "POST", { Name: "Ada" }, 304),
  ),
  ...["Nothing", "customer", "__proto__", "constructor", "1", "11111111-1111-4111-8111-111111111111"].map((name) =>
    refuse(`refuses a creation in ${name}`, `/v1/object/${name}`, "POST", { Name: "Ada" }, 304),
  ),
  ...["ZZZZZZZ", "1", "0", "Customer", "__proto__", "11111111-1111-4111-8111-111111111111"].map((id) =>
    refuse(`refuses a change of the unknown object ${id}`, `/v1/object/${id}`, "PATCH", { Name: "Ada" }, 304),
  ),

  ...['"77"', 'W/"1"', "1", '"01"', "", '"x"', '"1', '* , "1"'].map((tag) =>
    change(`refuses a change if the version does not match ${tag}`, { City: "Paris" }, 713, {
      headers: { "if-match": tag },
    }),
  ),

  ...["", "?query=", "?query=%7B", "?query=where"].map((query) =>
    refuse(
      `refuses a change of customers with ${query === "" ? "no query" : query}`,
      `/v1/objects/Customer${query}`,
      "PATCH",
      { City: "Paris" },
      query === "" ? 307 : 308,
    ),
  ),
  refuse(
    "refuses a change of customers with an invalid query",
    "/v1/objects/Customer?query=%5B%5D",
    "PATCH",
    { City: "Paris" },
    329,
  ),
  ...[{ where: { Nothing: 1 } }, { macro: "m" }, { where: { Name: { $regex: ".*" } } }, { oids: ["'"] }].map((query) =>
    changeAll(query, { City: "Paris" }, 307),
  ),
  ...nonsense.map((body) => changeAll({}, body, 307)),
  changeAll({ where: { CreditLimit: -77 } }, { City: "Paris" }, 0, {
    expect: { code: 0, data: (data) => expect(data).toEqual({ "~Count": 0 }) },
  }),
  changeAll({ oids: ["ZZZZZZZ", "11111111-1111-4111-8111-111111111111"] }, { City: "Paris" }, 0, {
    expect: { code: 0, data: (data) => expect(data).toEqual({ "~Count": 0 }) },
  }),
  changeAll({}, { City: "Paris" }, 713, { headers: { "if-match": '"77"' } }),
  changeAll({}, { City: "Paris" }, 404, { as: "reader" }),
  ...["Nothing", "User", "customer", "__proto__", "1"].map((name) =>
    refuse(`refuses a change in ${name}`, `/v1/objects/${name}?query=%7B%7D`, "PATCH", { Description: "x" }, 304),
  ),

  ...["POST", "DELETE", "GET"].flatMap((method) =>
    ["ZZZZZZZ", "1", "Customer", "__proto__"].map((id) =>
      refuse(`finds no lock of ${id} for ${method}`, `/v1/lock/object/${id}`, method, undefined, 304),
    ),
  ),
  ...["POST", "DELETE"].map((method) =>
    refuse(
      `refuses ${method} of a lock without the right`,
      ({ customerId }) => `/v1/lock/object/${customerId}`,
      method,
      undefined,
      404,
      { as: "reader" },
    ),
  ),
  ...["demo", "reader"].map((as) =>
    refuse(
      `refuses to take over a lock for ${as}`,
      ({ customerId }) => `/v1/lock/object/${customerId}?takeOver=true`,
      "POST",
      undefined,
      404,
      { as: as as "demo" | "reader" },
    ),
  ),
  refuse(
    "refuses an unknown way to lock",
    ({ customerId }) => `/v1/lock/object/${customerId}?takeOver=1`,
    "POST",
    undefined,
    307,
  ),
  {
    title: "shows a lock to a reader",
    as: "reader",
    path: ({ customerId }) => `/v1/lock/object/${customerId}`,
    expect: { code: 0, data: (data) => expect(data).toEqual({ isLocked: false, messages: [] }) },
  },

  ...(
    [
      ["POST", customers],
      ["POST", several],
      ["PATCH", "/v1/object/1"],
      ["PATCH", "/v1/objects/Customer?query=%7B%7D"],
      ["GET", "/v1/lock/object/1"],
      ["POST", "/v1/lock/object/1"],
      ["DELETE", "/v1/lock/object/1"],
    ] as const
  ).map(
    ([method, path]): Case => ({
      title: `requires a session for ${method} ${path}`,
      method,
      path,
      expect: { code: 200 },
    }),
  ),
  {
    title: "requires a body to create",
    as: "demo",
    method: "POST",
    path: customers,
    headers: { "content-type": "application/json" },
    expect: { code: 300 },
    modes: ["session", "token", "encrypted"],
  },
  {
    title: "requires JSON to create",
    as: "demo",
    method: "POST",
    path: customers,
    headers: { "content-type": "application/json" },
    body: "{",
    expect: { code: 311 },
    modes: ["session", "token", "encrypted"],
  },
];
