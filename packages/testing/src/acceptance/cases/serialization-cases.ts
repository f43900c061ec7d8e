import { expect } from "../../matchers/expect.ts";
import type { Case, Json } from "./case.ts";

const encode = (value: unknown) => encodeURIComponent(typeof value === "string" ? value : JSON.stringify(value));
const invoices = (serialization: unknown) => `/v1/objects/Invoice?perPage=3&serialization=${encode(serialization)}`;
const users = (serialization: unknown) => `/v1/objects/User?serialization=${encode(serialization)}`;

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Of the listed objects, and of nested ones. */
const metaFields = ["~ClassName", "~ObjectID", "~UUID", "~StoreTime"];
const nestedMetaFields = ["~ClassName", "~ObjectID", "~StoreTime"];
const elementsOf = (data: Json): Json[] => data["~Elements"];
const namesOf = (object: Json): string[] => Object.keys(object);

const written = (
  title: string,
  serialization: unknown,
  check: (elements: Json[]) => void,
  more: Partial<Case> = {},
): Case => ({
  title,
  as: "reader",
  path: invoices(serialization),
  expect: {
    code: 0,
    data: (data) => {
      expect(data).toMatchObject({ "~Count": 1_000, "~UnfilteredCount": 1_000 });
      expect(elementsOf(data)).toHaveLength(3);
      check(elementsOf(data));
    },
  },
  ...more,
});

/** Users have a collection, and references with further references. */
const ofUsers = (
  title: string,
  serialization: unknown,
  check: (demo: Json) => void,
  more: Partial<Case> = {},
): Case => ({
  title,
  as: "admin",
  path: users(serialization),
  expect: { code: 0, data: (data) => check(elementsOf(data).find(({ Name }) => Name === "demo")) },
  ...more,
});

const refused = (title: string, path: string, code: number, more: Partial<Case> = {}): Case => ({
  title,
  as: "admin",
  path,
  expect: { code, lacks: ["select", "SQL", "Elements"] },
  ...more,
});

const each = (serialization: unknown) => `of ${JSON.stringify(serialization).slice(0, 120)}`;

/** The contents of answers of object routes. */
export const serializationCases: readonly Case[] = [
  written("accepts an empty serialization", {}, ([first]) =>
    expect(first.Customer).toMatchObject({ Name: expect.any(String) }),
  ),
  written("writes everything for full", { type: "full", depth: 1 }, ([first]) =>
    expect(first.Customer).toMatchObject({ Name: expect.any(String) }),
  ),
  written("writes references beyond the depth with meta-fields only", { depth: 0 }, ([first]) =>
    expect(namesOf(first.Customer)).toEqual(nestedMetaFields),
  ),
  written("writes meta-fields only", { type: "empty" }, (all) =>
    expect(all.map(namesOf)).toEqual(all.map(() => metaFields)),
  ),
  written("writes meta-fields for the type macro without a hook", { type: "macro" }, (all) =>
    expect(all.map(namesOf)).toEqual(all.map(() => metaFields)),
  ),
  written("cuts long texts, of targets too", { cut: 3, depth: 1 }, ([first]) => {
    const { "~Cut": beginning, "~Length": length } = first.Number;
    expect([beginning, length]).toEqual([expect.stringMatching(/^20\d$/), 10]);
    expect(first.Date).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(first.Customer.Name["~Cut"]).toMatch(/^.{3}$/);
    expect(first.Customer.Name["~Length"]).toBeGreaterThan(3);
  }),
  written("cuts no text that fits", { type: "custom", fields: ["Number"], cut: 10 }, ([first]) =>
    expect(first.Number).toMatch(/^\d{4}-\d{5}$/),
  ),
  written(
    "accepts fieldList for fields and ignores members of other servers",
    { type: "custom", fieldList: ["Number"], macroLevel: 2, getSize: true, securityRights: true },
    (all) => expect(all.map(namesOf)).toEqual(all.map(() => [...metaFields, "Number"])),
  ),
  written("writes ids only", { type: "oid" }, (all) => expect(all.map(namesOf)).toEqual(all.map(() => ["~ObjectID"]))),
  written("ignores a depth where nothing is followed", { type: "oid", depth: 3 }, (all) =>
    expect(all.map(namesOf)).toEqual(all.map(() => ["~ObjectID"])),
  ),
  written("writes fields", { type: "custom", fields: ["Amount", "Number"] }, (all) =>
    expect(all.map(namesOf)).toEqual(all.map(() => [...metaFields, "Number", "Amount"])),
  ),
  written(
    "writes fields of references",
    { type: "custom", fields: ["Number", "Customer.Name", "Customer.City"] },
    ([first]) => {
      expect(namesOf(first)).toEqual([...metaFields, "Number", "Customer"]);
      expect(namesOf(first.Customer)).toEqual([...nestedMetaFields, "Name", "City"]);
    },
  ),
  written(
    "writes the UUIDs of the listed objects",
    { type: "custom", fields: ["~UUID", "Number", "Customer.Name"] },
    (all) =>
      expect(all).toEqual(
        all.map(() =>
          expect.objectContaining({
            "~UUID": expect.stringMatching(uuid),
            Customer: expect.not.objectContaining({ "~UUID": expect.anything() }),
          }),
        ),
      ),
  ),
  written(
    "writes the UUIDs of references where fields name them",
    { type: "custom", fields: ["Customer.~UUID"] },
    ([first]) => {
      expect(namesOf(first.Customer)).toEqual(metaFields);
      expect(first.Customer["~UUID"]).toMatch(uuid);
    },
  ),
  written("writes whole references", { type: "custom", fields: ["Customer"] }, ([first]) =>
    expect(first.Customer).toMatchObject({ Name: expect.any(String), Active: expect.any(Boolean) }),
  ),
  written("writes no fields for an empty list", { type: "custom", fields: [] }, (all) =>
    expect(all.map(namesOf)).toEqual(all.map(() => metaFields)),
  ),
  {
    title: "writes one object by a serialization",
    as: "reader",
    path: ({ invoiceId }) =>
      `/v1/object/${invoiceId}?serialization=${encode({ type: "custom", fields: ["Customer.Name"] })}`,
    expect: {
      code: 0,
      headers: { etag: '"1"' },
      data: (data) => {
        expect(namesOf(data)).toEqual([...metaFields, "Customer"]);
        expect(namesOf(data.Customer)).toEqual([...nestedMetaFields, "Name"]);
      },
    },
  },
  {
    title: "writes the id of one object",
    as: "reader",
    path: ({ invoiceId }) => `/v1/object/${invoiceId}?serialization=${encode({ type: "oid" })}`,
    expect: { code: 0, headers: { etag: '"1"' }, data: (data) => expect(namesOf(data)).toEqual(["~ObjectID"]) },
  },
  ofUsers(
    "follows paths through references and collections",
    { type: "custom", fields: ["Name", "Groups.Name", "Employee.Mitarbeiteransprechpartner.Name1"] },
    (demo) => {
      expect(demo).toMatchObject({ Groups: { "~Count": 1, "~UnfilteredCount": 1, "~Elements": [{ Name: "Sales" }] } });
      expect(namesOf(elementsOf(demo.Groups)[0])).toEqual([...nestedMetaFields, "Name"]);
      expect(namesOf(demo.Employee)).toEqual([...nestedMetaFields, "Mitarbeiteransprechpartner"]);
      expect(namesOf(demo.Employee.Mitarbeiteransprechpartner)).toEqual([...nestedMetaFields, "Name1"]);
    },
  ),
  ofUsers(
    "writes a page of a collection",
    { type: "custom", fields: ["Name", { name: "Groups", page: 0, perPage: 20, fields: ["Description"] }] },
    ({ Groups }) => {
      expect(Groups).toMatchObject({
        "~Count": 1,
        "~UnfilteredCount": 1,
        "~Elements": [{ Description: expect.any(String) }],
      });
      expect(namesOf(elementsOf(Groups)[0])).toEqual([...nestedMetaFields, "Description"]);
    },
  ),
  ofUsers(
    "writes an empty page of a collection with the count of all",
    { type: "custom", fields: ["Name", { name: "Groups", page: 1, perPage: 1 }] },
    ({ Groups }) => expect(Groups).toEqual({ "~Count": 1, "~UnfilteredCount": 1, "~Elements": [] }),
  ),
  {
    title: "hides the attributes of an unreadable class",
    as: "reader",
    path: `/v1/objects/User?serialization=${encode({ type: "custom", fields: ["Name"] })}`,
    expect: { code: 304 },
  },

  ...["", "{", "full"].map((value) =>
    refused(`refuses the serialization ${value}`, `/v1/objects/Invoice?serialization=${encode(value)}`, 308),
  ),
  ...[
    "[]",
    "null",
    "5",
    { type: "macros" },
    { type: "macro", fields: ["Number"] },
    { type: "macro", name: "m" },
    { type: "FULL" },
    { type: null },
    { type: "custom" },
    { type: "custom", fields: "Number" },
    { type: "custom", fields: [5] },
    { type: "custom", fields: [null] },
    { type: "custom", fields: [["Number"]] },
    { type: "custom", fields: [{}] },
    { type: "custom", fields: [{ name: "Customer", feilds: ["Name"] }] },
    { type: "custom", fields: [{ name: "Customer", fields: "Name" }] },
    { fields: ["Number"] },
    { type: "full", fields: ["Number"] },
    { type: "empty", fields: [] },
    { type: "oid", fields: ["Number"] },
    { cut: 0 },
    { cut: 1.5 },
    { cut: "10" },
    { cut: 1_048_577 },
    { json: "value" },
    { json: true },
    { depth: -1 },
    { depth: 6 },
    { depth: "1" },
    { depth: 1.5 },
    { surprise: 1 },
    { type: "custom", fields: ["Nothing"] },
    { type: "custom", fields: ["Number", "number"] },
    { type: "custom", fields: ["~ObjectID"] },
    { type: "custom", fields: ["~UUID", "~UUID"] },
    { type: "custom", fields: ["~UUID.Name"] },
    { type: "custom", fields: ["~uuid"] },
    { type: "custom", fields: [""] },
    { type: "custom", fields: ["toString"] },
    { type: "custom", fields: ["Number' or 1=1 --"] },
    { type: "custom", fields: ["Number", "Number"] },
    { type: "custom", fields: ["Customer", "Customer.Name"] },
    { type: "custom", fields: ["Customer.Nothing"] },
    { type: "custom", fields: ["Number.Name"] },
    { type: "custom", fields: ["Customer.Name.Name"] },
    { type: "custom", fields: ["Customer."] },
    { type: "custom", fields: [{ name: "Customer", page: 0 }] },
    { type: "custom", fields: [{ name: "Number", fields: ["Name"] }] },
    { type: "custom", fields: Array.from({ length: 201 }, (_, index) => `A${index}`) },
  ].map((value) => refused(`refuses a serialization ${each(value)}`, invoices(value), 307)),
  ...[{ page: -1 }, { page: 0.5 }, { page: "0" }, { perPage: 0 }, { perPage: 1_001 }, { page: 10_000_001 }].map(
    (paging) =>
      refused(
        `refuses a page of a collection ${each(paging)}`,
        users({ type: "custom", fields: [{ name: "Groups", ...paging }] }),
        307,
      ),
  ),
  refused("refuses a path of six names", users({ type: "custom", fields: ["A.B.C.D.E.F"] }), 307),
  refused("refuses a serialization with a forbidden name", invoices('{"__proto__":{}}'), 307),
];
