import type { Case, Json } from "./case.ts";

const list = "/v1/objects/Customer";
const encode = (value: unknown) => encodeURIComponent(typeof value === "string" ? value : JSON.stringify(value));

const read = (title: string, path: Case["path"], code: number, more: Partial<Case> = {}): Case => ({
  title,
  as: "reader",
  path,
  expect: { code, lacks: code === 0 ? [] : ["select", "objects", "SQL"] },
  ...more,
});

const ids = (data: Json): string[] => data["~Elements"].map((element: Json) => element["~ObjectID"]);

/** Reading objects and lists. */
export const objectCases: readonly Case[] = [
  read("reads an object by its id", ({ customerId }) => `/v1/object/${customerId}`, 0, {
    expect: {
      code: 0,
      headers: { etag: '"1"' },
      data: (data) =>
        expect(data).toMatchObject({ "~ClassName": "Customer", Name: expect.any(String), Active: expect.any(Boolean) }),
    },
    smoke: true,
  }),
  read("follows a reference", ({ invoiceId }) => `/v1/object/${invoiceId}`, 0, {
    expect: { code: 0, data: ({ Customer }) => expect(Customer).toMatchObject({ "~ClassName": "Customer", Name: expect.any(String) }) },
    smoke: true,
  }),
  read("writes references beyond the depth with meta-fields only", ({ invoiceId }) => `/v1/object/${invoiceId}?serialization=${encode({ depth: 0 })}`, 0, {
    expect: { code: 0, data: ({ Customer }) => expect(Object.keys(Customer)).toEqual(["~ClassName", "~ObjectID", "~StoreTime"]) },
    smoke: true,
  }),
  read("lists a class", list, 0, {
    expect: {
      code: 0,
      data: (data) => {
        expect(data).toMatchObject({ "~Count": 200, "~UnfilteredCount": 200 });
        expect(data["~Elements"]).toHaveLength(50);
      },
    },
    smoke: true,
  }),
  read("lists a class under the singular name, too", "/v1/object/Customer?perPage=2", 0, {
    expect: { code: 0, data: (data) => expect(ids(data)).toHaveLength(2) },
    smoke: true,
  }),
  read("gives the rest on the last page", `${list}?page=2&perPage=70`, 0, {
    expect: { code: 0, data: (data) => expect([data["~Count"], ids(data).length]).toEqual([200, 60]) },
    smoke: true,
  }),
  read("gives nothing behind the last page", `${list}?page=4`, 0, {
    expect: { code: 0, data: (data) => expect(data).toEqual({ "~Count": 200, "~UnfilteredCount": 200, "~Elements": [] }) },
    smoke: true,
  }),
  read("gives a thousand at once", "/v1/objects/Invoice?perPage=1000", 0, {
    expect: { code: 0, data: (data) => expect(new Set(ids(data)).size).toBe(1_000) },
  }),
  read("takes an empty query and serialization", `${list}?perPage=1&query=${encode({})}&serialization=${encode({})}`, 0, { smoke: true }),
  read("takes the full serialization", `${list}?perPage=1&serialization=${encode({ type: "full", depth: 1 })}`, 0),

  ...["-1", "1.5", "1e3", "x", "", " 1", "0x1", "99999999999", "10000001", "NaN"].map((page) =>
    read(`refuses the page ${page}`, `${list}?page=${encode(page)}`, 307, page === "-1" ? { smoke: true } : {}),
  ),
  ...["0", "1001", "-5", "ten", "99999999999999999999"].map((perPage) =>
    read(`refuses ${perPage} on a page`, `${list}?perPage=${perPage}`, 307),
  ),
  ...["", "{", "where", "{'a':1}", "[1"].map((query) => read(`refuses the query ${query}`, `${list}?query=${encode(query)}`, 308, { smoke: true })),
  ...["[]", "null", "5", '"x"', "true"].map((query) => read(`refuses the query ${query}`, `${list}?query=${encode(query)}`, 329, { smoke: true })),
  ...[{ where: { Name: "x" } }, { sort: ["Name"] }, { oids: [] }, { macro: "m" }, { unknown: 1 }].map((query) =>
    read(`does not take the query ${JSON.stringify(query)}`, `${list}?query=${encode(query)}`, 307),
  ),
  read("refuses a query with a forbidden name", `${list}?query=${encode('{"__proto__":{}}')}`, 307),
  ...["", "{", "full"].map((value) => read(`refuses the serialization ${value}`, `${list}?serialization=${encode(value)}`, 308)),
  ...["[]", "5", { type: "macro" }, { type: "custom" }, { fields: ["Name"] }, { depth: -1 }, { depth: 6 }, { depth: "1" }, { depth: 1.5 }].map((value) =>
    read(`does not take the serialization ${JSON.stringify(value)}`, `${list}?serialization=${encode(value)}`, 307),
  ),

  ...[
    "ZZZZZZZ",
    "0",
    "00A",
    "99999999999",
    "11111111-1111-4111-8111-111111111111",
    "A1111111-1111-4111-8111-11111111111A",
    "Nothing",
    "customer",
    "__proto__",
    "constructor",
    "toString",
    "Customer'",
    "Customer%22",
    "Customer--",
    "Customer%20",
    "objects",
    "a%E2%80%8Bb",
    "x".repeat(1_000),
  ].map((name) => read(`finds no object ${name.slice(0, 40)}`, `/v1/object/${name}`, 304, name === "ZZZZZZZ" ? { smoke: true } : {})),
  ...["ZZZ", "Nothing", "__proto__", "Customer'"].map((name) => read(`finds no class ${name}`, `/v1/objects/${name}`, 304)),

  read("hides a class without rights", "/v1/objects/User", 304, { smoke: true }),
  read("lists users to the administrator", "/v1/objects/User", 0, {
    as: "admin",
    expect: {
      code: 0,
      data: (data) => expect(data["~Elements"].map((user: Json) => user.Name).toSorted()).toEqual(["admin", "demo", "reader"]),
      lacks: ["argon2", "secret", "pass"],
    },
    smoke: true,
  }),
  ...["/v1/objects/Customer", "/v1/object/Customer", "/v1/object/1"].map((path) =>
    ({ title: `needs a session for ${path}`, path, expect: { code: 200 } }) as const,
  ),
  { title: "keeps the databases apart", as: "demo", path: "/second/v1/objects/Customer", expect: { code: 201, beforeSession: true }, smoke: true },
];
