import { expect } from "../../matchers/expect.ts";
import type { Case, Json } from "./case.ts";

const structure = "/v1/model/structure";

const text = (name: string) => ({ name, type: "string" });

const show = (title: string, as: Case["as"] & string, data: (classes: Map<string, Json>) => void): Case => ({
  title,
  as,
  path: structure,
  expect: {
    code: 0,
    headers: { etag: /^"[1-9]\d*"$/ },
    data: ({ classes }) => data(new Map(classes.map((each: Json) => [each.name, each]))),
  },
});

const put = (title: string, name: string, body: unknown, code: number, more: Partial<Case> = {}): Case => ({
  title,
  as: "admin",
  method: "PUT",
  path: `${structure}/${name}`,
  body,
  expect: { code, lacks: code === 0 ? [] : ["select", "SQL"] },
  ...more,
});

const remove = (title: string, name: string, code: number, more: Partial<Case> = {}): Case => ({
  title,
  as: "admin",
  method: "DELETE",
  path: `${structure}/${name}`,
  expect: { code },
  ...more,
});

const own = (name: string, type: string, more: object = {}) => ({
  name,
  type,
  mandatory: false,
  indexed: false,
  inherited: false,
  ...more,
});

const ticket = { attributes: [text("Title")] };

/** Reading classes, and refused changes; the suite of classes has the successful ones. */
export const modelCases: readonly Case[] = [
  show("shows a reader the readable classes and own permissions", "reader", (classes) => {
    expect(classes.get("Customer")).toMatchObject({ base: null, builtIn: false, permissions: ["read"] });
    expect(classes.get("Invoice").attributes).toContainEqual(
      own("Customer", "reference", {
        target: "Customer",
        onDelete: "clear",
        indexed: true,
        indexState: expect.stringMatching(/^(?:building|ready)$/),
      }),
    );
    expect(
      classes
        .get("Invoice")
        .attributes.filter((attribute: Json) => attribute.indexed)
        .map((attribute: Json) => attribute.name),
    ).toEqual(["Number", "Date", "Customer"]);
    expect(classes.get("Invoice").attributes).toContainEqual(own("Due", "date"));
    expect([...classes.keys()]).not.toContain("User");
    expect(JSON.stringify([...classes.values()])).not.toMatch(/"rights"|UserGroup/);
  }),
  show("shows a caller with more rights those rights", "demo", (classes) => {
    expect(classes.get("Customer").permissions).toEqual(["read", "create", "write", "delete"]);
  }),
  show("shows an administrator all classes with all rights", "admin", (classes) => {
    expect([...classes.keys()]).toEqual(
      expect.arrayContaining([
        "User",
        "UserGroup",
        "Employee",
        "ContactPerson",
        "Image",
        "File",
        "Customer",
        "Invoice",
      ]),
    );
    expect(classes.get("User")).toMatchObject({ builtIn: true, rights: [] });
    expect(classes.get("Customer").rights.map((right: Json) => right.permissions)).toEqual([
      ["read", "create", "write", "delete"],
      ["read"],
    ]);
    expect(classes.get("Employee").attributes).toContainEqual(
      own("Bild", "reference", { target: "Image", onDelete: "clear" }),
    );
  }),
  { title: "requires a session for the classes", path: structure, expect: { code: 200 } },
  {
    title: "requires a session to change a class",
    method: "PUT",
    path: `${structure}/Ticket`,
    body: ticket,
    expect: { code: 200 },
  },
  {
    title: "serves no single class",
    as: "admin",
    path: `${structure}/Customer`,
    expect: { code: 305, beforeSession: true, headers: { allow: "PUT, DELETE" } },
  },

  ...['"999999999"', 'W/"1"', "1", "", '"a"'].map((version) =>
    put(`refuses a change of a class at the version ${version}`, "Customer", { attributes: [text("New")] }, 713, {
      headers: { "if-match": version },
    }),
  ),
  ...(["demo", "reader"] as const).flatMap((as) => [
    put(`refuses ${as} the creation of a class`, "Ticket", ticket, 404, { as }),
    put(`hides errors of a class definition from ${as}`, "User", { base: "Nothing" }, 404, { as }),
    remove(`refuses ${as} the removal of a class`, "Invoice", 404, { as }),
    remove(`hides the existence of a class from ${as}`, "Nothing", 404, { as }),
  ]),

  ...(
    [
      ["an unknown member", "Wrong", { atributes: [] }],
      ["a base that is not a text", "Wrong", { base: 5 }],
      ["attributes that are not a list", "Wrong", { attributes: {} }],
      ["an invalid attribute", "Wrong", { attributes: ["Name"] }],
      ["an attribute without a type", "Wrong", { attributes: [{ name: "A" }] }],
      ["an attribute of an unknown type", "Wrong", { attributes: [{ name: "A", type: "text" }] }],
      ["an attribute with an unknown member", "Wrong", { attributes: [{ ...text("A"), mandatry: true }] }],
      ["a flag that is not a boolean", "Wrong", { attributes: [{ ...text("A"), indexed: "yes" }] }],
      [
        "an unknown deletion rule",
        "Wrong",
        { attributes: [{ name: "A", type: "reference", target: "User", onDelete: "forget" }] },
      ],
      ["an unknown permission", "Wrong", { rights: [{ group: "*", permissions: ["own"] }] }],
      ["an unknown group", "Wrong", { rights: [{ group: "ZZZZZZZZZZ", permissions: ["read"] }] }],
      ["an unknown base", "Wrong", { base: "Nothing" }],
      ["itself as its base", "Wrong", { base: "Wrong" }],
      ["an unknown target", "Wrong", { attributes: [{ name: "A", type: "reference", target: "Nothing" }] }],
      ["a title without an attribute", "Wrong", { title: "Title" }],
      ["an empty title", "Wrong", { title: "", attributes: [text("Title")] }],
      ["a title that is not a text", "Wrong", { title: ["Title"], attributes: [text("Title")] }],
      ["a title of a hostile name", "Wrong", { title: "__proto__", attributes: [text("Title")] }],
      ["a title of values without an order", "Wrong", { title: "A", attributes: [{ name: "A", type: "json" }] }],
      [
        "a title through a collection",
        "Wrong",
        { title: "A.Name", attributes: [{ name: "A", type: "collection", target: "Customer" }] },
      ],
      [
        "a title through more references than a query follows",
        "Wrong",
        { title: "A.A.A.A.A.B", attributes: [{ name: "A", type: "reference", target: "Wrong" }, text("B")] },
      ],
      ["a hostile attribute name", "Wrong", { attributes: [text("a' or '1'='1")] }],
      ["an attribute named constructor", "Wrong", { attributes: [text("constructor")] }],
      ["a name without a lower-case letter", "WRONG", {}],
      ["a hostile name", "Wrong'--", {}],
      ["a built-in class without its attributes", "User", {}],
      ["the loss of values", "Customer", {}],
      ["another type of values", "Customer", { attributes: [{ name: "Name", type: "number", mandatory: true }] }],
    ] as const
  ).map(([what, name, body]) => put(`refuses ${what}`, name, body, 307)),
  put("requires a definition", "Wrong", undefined, 300, {
    headers: { "content-type": "application/json" },
    modes: ["session", "token", "encrypted"],
  }),

  remove("refuses to remove an unknown class", "Nothing", 304),
  remove("refuses to remove a class with a hostile name", "__proto__", 304),
  remove("refuses to remove a built-in class", "User", 307),
  remove("refuses to remove a class with objects", "Invoice", 307),
  remove("refuses to remove a class that others refer to", "Customer", 307),
  remove("refuses to remove a class at another version", "Invoice", 713, { headers: { "if-match": '"999999999"' } }),
];
