import { expect } from "../../matchers/expect.ts";
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
  }),
  read("follows a reference", ({ invoiceId }) => `/v1/object/${invoiceId}`, 0, {
    expect: {
      code: 0,
      data: ({ Customer }) => expect(Customer).toMatchObject({ "~ClassName": "Customer", Name: expect.any(String) }),
    },
  }),
  read("lists a class", list, 0, {
    expect: {
      code: 0,
      data: (data) => {
        expect(data).toMatchObject({ "~Count": 200, "~UnfilteredCount": 200 });
        expect(data["~Elements"]).toHaveLength(50);
      },
    },
  }),
  read("lists a class under the singular name, too", "/v1/object/Customer?perPage=2", 0, {
    expect: { code: 0, data: (data) => expect(ids(data)).toHaveLength(2) },
  }),
  read("returns the rest on the last page", `${list}?page=2&perPage=70`, 0, {
    expect: { code: 0, data: (data) => expect([data["~Count"], ids(data).length]).toEqual([200, 60]) },
  }),
  read("returns nothing after the last page", `${list}?page=4`, 0, {
    expect: {
      code: 0,
      data: (data) => expect(data).toEqual({ "~Count": 200, "~UnfilteredCount": 200, "~Elements": [] }),
    },
  }),
  read("returns a thousand objects at once", "/v1/objects/Invoice?perPage=1000", 0, {
    expect: { code: 0, data: (data) => expect(new Set(ids(data)).size).toBe(1_000) },
  }),
  read("accepts an empty query", `${list}?perPage=1&query=${encode({})}`, 0),

  ...["-1", "1.5", "1e3", "x", "", " 1", "0x1", "99999999999", "10000001", "NaN"].map((page) =>
    read(`refuses the page ${page}`, `${list}?page=${encode(page)}`, 307),
  ),
  ...["0", "1001", "-5", "ten", "99999999999999999999"].map((perPage) =>
    read(`refuses ${perPage} on a page`, `${list}?perPage=${perPage}`, 307),
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
  ].map((name) => read(`finds no object ${name.slice(0, 40)}`, `/v1/object/${name}`, 304)),
  ...["ZZZ", "Nothing", "__proto__", "Customer'"].map((name) =>
    read(`finds no class ${name}`, `/v1/objects/${name}`, 304),
  ),

  read("hides a class without rights", "/v1/objects/User", 304),
  read("lists users to the administrator", "/v1/objects/User", 0, {
    as: "admin",
    expect: {
      code: 0,
      data: (data) =>
        expect(data["~Elements"].map((user: Json) => user.Name).toSorted()).toEqual(["admin", "demo", "reader"]),
      lacks: ["argon2", "secret", "pass"],
    },
  }),
  ...["/v1/objects/Customer", "/v1/object/Customer", "/v1/object/1"].map(
    (path) => ({ title: `requires a session for ${path}`, path, expect: { code: 200 } }) as const,
  ),
  {
    title: "separates databases",
    as: "demo",
    path: "/second/v1/objects/Customer",
    expect: { code: 201, beforeSession: true },
  },
];
