import { expect } from "../../matchers/expect.ts";
import type { Case, Json, Known } from "./case.ts";

const encode = (value: unknown) => encodeURIComponent(typeof value === "string" ? value : JSON.stringify(value));
const listOf = (className: string, query: unknown, more = "") =>
  `/v1/objects/${className}?query=${encode(query)}${more}`;
const elementsOf = (data: Json): Json[] => data["~Elements"];
const idsOf = (data: Json): string[] => elementsOf(data).map((element) => element["~ObjectID"]);
/** The order of texts: by their bytes. */
const byBytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));

/** Queries customers or invoices, up to a thousand, and checks the result. */
const asks = (
  title: string,
  className: "Customer" | "Invoice",
  query: unknown,
  check: (elements: Json[], data: Json) => void,
  more: Partial<Case> = {},
): Case => ({
  title,
  as: "reader",
  path: listOf(className, query, "&perPage=1000"),
  expect: {
    code: 0,
    data: (data) => {
      expect(data["~UnfilteredCount"]).toBe(className === "Customer" ? 200 : 1_000);
      expect(data["~Count"]).toBe(elementsOf(data).length);
      check(elementsOf(data), data);
    },
  },
  ...more,
});

/** Checks that a proper subset is returned, and that each element fits. */
const some = (fits: (element: Json) => boolean) => (elements: Json[], data: Json) => {
  expect(elements.length).toBeGreaterThan(0);
  expect(elements.length).toBeLessThan(data["~UnfilteredCount"]);
  expect(elements.filter((element) => !fits(element))).toEqual([]);
};

const refused = (query: unknown, code = 307, more: Partial<Case> = {}): Case => ({
  title: `refuses the query ${(typeof query === "string" ? query : JSON.stringify(query)).slice(0, 120)}`,
  as: "reader",
  path: listOf("Invoice", query),
  expect: { code, lacks: ["select", "SQL", "Elements"] },
  ...more,
});

/** Pages of a list, and their cursors. */
const paged = (title: string, path: string, expected: (data: Json) => void, more: Partial<Case> = {}): Case => ({
  title,
  as: "reader",
  path,
  expect: { code: 0, data: expected },
  ...more,
});

const ofCustomer = (make: (known: Known) => unknown) => (known: Known) =>
  listOf("Invoice", make(known), "&perPage=1000");

/** Filtered and sorted lists. */
const inQueryStrings: readonly Case[] = [
  asks(
    "filters by a text",
    "Customer",
    { where: { City: "Graz" } },
    some(({ City }) => City === "Graz"),
  ),
  asks(
    "filters by a text beyond ASCII",
    "Customer",
    { where: { City: "Zürich" } },
    some(({ City }) => City === "Zürich"),
  ),
  asks(
    "filters by a number",
    "Customer",
    { where: { CreditLimit: { $gt: 10_000, $lte: 20_000 } } },
    some(({ CreditLimit }) => CreditLimit > 10_000 && CreditLimit <= 20_000),
  ),
  asks(
    "filters by a boolean",
    "Customer",
    { where: { Active: false } },
    some(({ Active }) => Active === false),
  ),
  asks(
    "filters by a date",
    "Invoice",
    { where: { Date: { $gte: "2026-01-01", $lt: "2026-02-01" } } },
    some(({ Date: date }) => date.startsWith("2026-01")),
  ),
  asks(
    "filters by several values",
    "Customer",
    { where: { Country: { $in: ["Austria", "Belgium", null] } } },
    some(({ Country }) => ["Austria", "Belgium"].includes(Country)),
  ),
  asks(
    "filters by none of several values",
    "Customer",
    { where: { Country: { $nin: ["Austria", "Belgium"] } } },
    some(({ Country }) => !["Austria", "Belgium"].includes(Country)),
  ),
  asks(
    "filters by a pattern",
    "Customer",
    { where: { Name: { $like: "%_ Lamps" } } },
    some(({ Name }) => Name.endsWith(" Lamps")),
  ),
  asks(
    "accepts a pattern with 16 wildcards",
    "Customer",
    { where: { Name: { $like: `${"%\\%".repeat(5)}${"%%%_".repeat(10)}%` } } },
    (elements) => expect(elements).toEqual([]),
  ),
  asks(
    "filters by a substring",
    "Customer",
    { where: { Email: { $contains: "-kites." } } },
    some(({ Email }) => Email.includes("-kites.")),
  ),
  asks(
    "filters by alternatives and their negation",
    "Customer",
    { where: { $or: [{ City: "Graz" }, { $not: { Active: true } }] } },
    some(({ City, Active }) => City === "Graz" || !Active),
  ),
  asks(
    "filters through a reference",
    "Invoice",
    { where: { "Customer.Country": "Norway", Paid: false } },
    some(({ Customer, Paid }) => Customer.Country === "Norway" && !Paid),
  ),
  asks(
    "filters by meta-fields",
    "Invoice",
    { where: { "~ClassName": "Invoice", "~StoreTime": { $lt: "2000-01-01" } } },
    (elements) => expect(elements).toEqual([]),
  ),
  asks("finds nothing for a missing value", "Customer", { where: { City: { $exists: false } } }, (elements) =>
    expect(elements).toEqual([]),
  ),
  asks("sorts by a text", "Customer", { sort: ["City", "-Name"] }, (elements) => {
    const sorted = elements.toSorted((one, other) => byBytes(one.City, other.City) || byBytes(other.Name, one.Name));
    expect(elements.map(({ Name }) => Name)).toEqual(sorted.map(({ Name }) => Name));
  }),
  asks("sorts by a number, descending", "Customer", { sort: ["-CreditLimit"] }, (elements) => {
    const limits = elements.map(({ CreditLimit }) => CreditLimit);
    expect(limits).toEqual(limits.toSorted((one, other) => other - one));
  }),
  asks(
    "sorts through a reference",
    "Invoice",
    { where: { Paid: false }, sort: ["Customer.Name", "Date"] },
    (elements) => {
      const names = elements.map(({ Customer }) => Customer.Name);
      expect(names).toEqual(names.toSorted(byBytes));
    },
  ),
  asks("accepts an empty filter and an empty order", "Customer", { where: {}, sort: [] }, (elements) =>
    expect(elements).toHaveLength(200),
  ),
  asks(
    "treats an attribute and an id of an unreadable class as missing",
    "Customer",
    { where: { $or: [{ Name: { $exists: false } }] }, oids: ["ZZZZZZ"] },
    (elements) => expect(elements).toEqual([]),
  ),
  {
    title: "filters by a reference",
    as: "reader",
    path: ofCustomer(({ customerId }) => ({ where: { Customer: customerId } })),
    expect: {
      code: 0,
      data: (data) =>
        some(({ Customer }) => Customer["~ObjectID"] === elementsOf(data)[0].Customer["~ObjectID"])(
          elementsOf(data),
          data,
        ),
    },
  },
  {
    title: "filters by an object without references to it",
    as: "reader",
    path: ofCustomer(({ invoiceId }) => ({ where: { Customer: { "~ObjectID": invoiceId } } })),
    expect: {
      code: 0,
      data: (data) => expect(data).toMatchObject({ "~Count": 0, "~UnfilteredCount": 1_000, "~Elements": [] }),
    },
  },
  {
    title: "restricts a list to ids",
    as: "reader",
    path: ofCustomer(({ invoiceId, customerId }) => ({
      oids: [invoiceId, customerId, "ZZZZZZ", "00000000-0000-4000-8000-000000000000"],
    })),
    expect: { code: 0, data: (data) => expect([data["~Count"], idsOf(data).length]).toEqual([1, 1]) },
  },

  paged(
    "counts up to the cap only",
    `${listOf("Invoice", { where: { Paid: true } })}&count=capped&perPage=1`,
    (data) => {
      expect(data).toMatchObject({ "~CountCapped": true, "~UnfilteredCount": 1_000 });
      expect(data["~Count"]).toBeGreaterThan(500);
    },
  ),
  paged(
    "counts nothing on request",
    `${listOf("Customer", { where: { City: "Graz" } })}&count=none&perPage=2`,
    (data) => expect(Object.keys(data)).toEqual(["~Cursor", "~Elements"]),
  ),
  paged("counts nothing on request without a query", "/v1/objects/Customer?count=none&page=1&perPage=150", (data) => {
    expect(Object.keys(data)).toEqual(["~Elements"]);
    expect(elementsOf(data)).toHaveLength(50);
  }),
  paged("returns a cursor with a full page", `${listOf("Customer", { sort: ["City"] })}&perPage=7`, (data) => {
    expect(data["~Cursor"]).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(Object.keys(data)).toEqual(["~Count", "~UnfilteredCount", "~Cursor", "~Elements"]);
  }),
  paged("returns no cursor with the last page", `${listOf("Customer", {})}&page=1&perPage=150`, (data) =>
    expect(Object.keys(data)).toEqual(["~Count", "~UnfilteredCount", "~Elements"]),
  ),
  paged(
    "counts matching objects, also on a page after the end",
    `${listOf("Invoice", { where: { Paid: false } })}&page=9&perPage=1000`,
    (data) => {
      expect(data["~Count"]).toBeGreaterThan(0);
      expect(data["~Elements"]).toEqual([]);
    },
  ),

  ...["", "{", "where", "{'a':1}", "[1", '{"where":{}', "\u0000"].map((query) => refused(query, 308)),
  ...["[]", "null", "5", '"x"', "true"].map((query) => refused(query, 329)),
  ...[
    { macro: "m" },
    { unknown: 1 },
    { where: 5 },
    { where: { Nothing: 1 } },
    { where: { Amount: "5" } },
    { where: { Amount: { $regex: "5" } } },
    { where: { Date: "29.2.2024" } },
    { where: { "Amount.Name": 1 } },
    { where: { "Customer.Nothing": 1 } },
    { where: { Customer: "nobody" } },
    { where: { Number: { $like: "x\\" } } },
    { where: { Number: { $like: "%a".repeat(17) } } },
    { where: { Number: { $like: "%a".repeat(3_000) } } },
    { where: { Number: { $like: `%${"a".repeat(1_024)}` } } },
    { where: { Number: { $contains: "a".repeat(1_025) } } },
    { where: { Number: "\u0000" } },
    { where: { secret: "x" } },
    { where: { pass: "x" } },
    { sort: "Amount" },
    { sort: ["Customer"] },
    { sort: ["secret"] },
    { oids: ["x"] },
  ].map((query) => refused(query)),
  ...[
    '{"__proto__":{}}',
    '{"where":{"__proto__":1}}',
    '{"where":{"constructor":{"prototype":1}}}',
    '{"where":{"Number":{"$eq":{"__proto__":1}}}}',
    '{"where":{"Amount":1e999}}',
  ].map((query) => refused(query)),
  ...[
    "'; drop table objects; --",
    "Amount' or 1=1 --",
    "attributes->>'Name'",
    'Amount"',
    "o.oid",
    "Amount::text",
    "$1",
    "%",
    "Amount\\",
  ].map((name) => refused({ where: { [name]: 1 } })),
  ...["Amount desc", "Amount; select 1", "-Amount'", "1", "Amount) limit 1 --"].map((name) =>
    refused({ sort: [name] }),
  ),
  ...["'; drop table objects; --", "' or '1'='1", "\\' or 1=1", "$1", "->>", '"}', "%", "\u{1f600}"].map((text) =>
    asks(
      `treats ${text} as plain text`,
      "Invoice",
      { where: { $or: [{ Number: text }, { Number: { $contains: text } }, { Number: { $gt: text, $lt: text } }] } },
      (elements) => expect(elements).toEqual([]),
    ),
  ),
  refused({ where: { ["x".repeat(10_000)]: 1 } }),
  asks("accepts a long text", "Invoice", { where: { Number: "x".repeat(10_000) } }, (elements) =>
    expect(elements).toEqual([]),
  ),
  refused({ where: { Number: { $in: Array.from({ length: 1_001 }, () => "") } } }),
  refused(`{"where":${'{"$not":'.repeat(30)}{}${"}".repeat(30)}}`),
  refused(`{"where":${'{"$not":'.repeat(100)}{}${"}".repeat(100)}}`),
  refused(`{"where":{"$or":[${Array.from({ length: 501 }, () => '{"Paid":true}').join()}]}}`),

  ...["", "x", "AAAA", "%00", "null", "e30", Buffer.from('["q","1"]').toString("base64url")].map((cursor) => ({
    ...refused({ where: { Paid: true } }),
    title: `refuses the cursor ${cursor}`,
    path: `/v1/objects/Invoice?cursor=${cursor}`,
  })),
  ...["exact", "true", ""].map((count) => ({
    ...refused({}),
    title: `refuses the count ${count}`,
    path: `/v1/objects/Invoice?count=${count}`,
  })),
];

/** The JSON of a member of the body for the text of a query parameter. */
const inJson: Readonly<Record<string, (text: string) => string>> = {
  query: (text) => text,
  serialization: (text) => text,
  page: (text) => text,
  perPage: (text) => text,
  cursor: JSON.stringify,
  count: JSON.stringify,
};

/** The same list with a body instead of its query string, if a body can say the same. */
function inBody({ path, ...rest }: Case): readonly Case[] {
  const [, list, parameters = ""] = /^(\/v1\/objects\/\w+)\?(.*)$/s.exec(typeof path === "string" ? path : "") ?? [];
  if (list === undefined) return [];
  const members = Array.from(new URLSearchParams(parameters), ([name, text]) => `"${name}":${inJson[name]?.(text)}`);
  const json = `{${members.join()}}`;
  try {
    JSON.parse(json);
  } catch {
    return [];
  }
  const title = `${rest.title}, in a body`;
  return [{ modes: ["session", "secure"], ...rest, title, path: `${list}/query`, method: "POST", json }];
}

/** As many values as a query can have; too many for an address. */
const many = Array.from({ length: 1_000 }, (_, index) => `${"0".repeat(40)} ${index}`);
const manyInvoices = { query: { where: { Number: { $in: [...many.slice(1), "2025-00001"] } } } };
const list = "/v1/objects/Invoice/query";

export const queryCases: readonly Case[] = [
  ...inQueryStrings,
  ...inQueryStrings.flatMap(inBody),
  {
    ...asks("finds one of 1,000 values, in a body", "Invoice", {}, ([found]) =>
      expect(found?.Number).toBe("2025-00001"),
    ),
    path: list,
    method: "POST",
    body: manyInvoices,
  },
  {
    ...asks("finds none of 1,000 UUIDs, in a body", "Invoice", {}, (elements) => expect(elements).toEqual([])),
    path: list,
    method: "POST",
    body: { query: { oids: many.map((_, index) => `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`) } },
  },
  {
    title: "finds one of 1,000 values, in an item of a multi request",
    as: "reader",
    path: "/v1/multi",
    method: "POST",
    body: [{ method: "POST", path: list, data: manyInvoices }],
    expect: { code: 0, data: ([item]) => expect(item.result.data["~Elements"][0].Number).toBe("2025-00001") },
  },
  ...[
    { page: "0" },
    { perPage: 1_001 },
    { perPage: 0.5 },
    { unknown: 1 },
    { where: {} },
    { serialization: [] },
    { query: null },
  ].map((body) => ({
    ...refused({}, "query" in body ? 329 : 307),
    title: `refuses a list with the body ${JSON.stringify(body)}`,
    path: list,
    method: "POST",
    body,
  })),
];
