import { expect } from "../../matchers/expect.ts";
import { headerOf, logInModes } from "../../modes.ts";
import type { Case, Json } from "./case.ts";

const path = "/openapi.json";
const stranger = "A".repeat(43);

const described = (
  title: string,
  check: (document: Json) => void,
  more: Partial<Case> & { readonly lacks?: readonly string[] } = {},
): Case => {
  const { lacks = ["argon2", "secret_version"], ...rest } = more;
  return { title, path, ...rest, expect: { code: 0, isDocument: true, data: check, lacks } };
};

const refused = (title: string, headers: Case["headers"], code: number): Case => ({
  title,
  path,
  headers: headers ?? {},
  expect: { code, lacks: ["paths"] },
});

const classesIn = ({ components }: Json): string[] =>
  Object.keys(components.schemas).filter((name) => /^class\.[^.]+$/.test(name));
const classNamesOf = (document: Json): string[] =>
  document.paths["/v1/objects/{className}"].get.parameters.find(({ name }: Json) => name === "className").schema.enum;

/** Texts that are hidden without a log-in. */
const ofClasses = ['"class.', "/class.", "Invoice", "CreditLimit", "ContactPerson"];

/** The API description of a database. */
export const descriptionCases: readonly Case[] = [
  described(
    "describes the routes and no class without credentials",
    (document) => {
      expect(document).toMatchObject({
        openapi: "3.1.1",
        info: { title: expect.any(String), version: expect.stringMatching(/^\d+\.\d+\.\d+/) },
      });
      expect(Object.keys(document.paths)).toEqual(
        expect.arrayContaining(["/v1/login", "/v1/objects/{className}", path]),
      );
      expect(document.servers).toHaveLength(1);
    },
    { headers: { appkey: null }, lacks: ofClasses },
  ),
  described(
    "describes no class to an app key without a session",
    (document) => expect(classesIn(document)).toEqual([]),
    {
      lacks: ofClasses,
    },
  ),
  described("describes no class to blank credentials", (document) => expect(classesIn(document)).toEqual([]), {
    headers: { appkey: "", sessionid: "", authorization: " " },
    lacks: ofClasses,
  }),
  described("gives every database its own address", ({ servers }) => expect(servers[0].url).toMatch(/\/second$/), {
    path: `/second${path}`,
    headers: { appkey: null },
  }),
  described(
    "describes the classes that the caller may read",
    (document) => {
      expect(classesIn(document)).toEqual(["class.Customer", "class.File", "class.Invoice"]);
      expect(classNamesOf(document)).toEqual(["Customer", "File", "Invoice"]);
      const { properties, required } = document.components.schemas["class.Invoice"];
      expect(required).toEqual(["~ClassName", "~ObjectID", "~StoreTime"]);
      expect(properties).toMatchObject({
        "~ClassName": { const: "Invoice" },
        "~UUID": { type: "string" },
        Amount: { type: ["number", "null"] },
        Paid: { type: ["boolean", "null"] },
        Date: {
          anyOf: [{ type: "string", format: "date" }, { type: "string", format: "date-time" }, { type: "null" }],
        },
        Customer: { anyOf: [{ $ref: "#/components/schemas/class.Customer" }, { type: "null" }] },
        Document: { anyOf: [{ $ref: "#/components/schemas/class.File" }, { type: "null" }] },
      });
      expect(document.components.schemas["class.Customer"].properties.Name).toEqual({
        type: "string",
        description: expect.stringContaining("Mandatory."),
      });
      expect(document.components.schemas["Object"].anyOf).toEqual([
        { $ref: "#/components/schemas/class.Customer" },
        { $ref: "#/components/schemas/class.File" },
        { $ref: "#/components/schemas/class.Invoice" },
      ]);
    },
    { as: "reader", lacks: ["ContactPerson", "UserGroup"] },
  ),
  described(
    "describes what the caller may write",
    ({ components, paths }) => {
      expect(components.schemas["class.Customer.new"].required).toEqual(["Name"]);
      const { post } = paths["/v1/object/{idOrClass}"];
      expect(post.parameters[0].schema.enum).toEqual(["Customer", "Invoice"]);
      expect(post.requestBody.content["application/json"].schema.anyOf).toHaveLength(2);
    },
    { as: "demo" },
  ),
  described(
    "describes no writes to a caller without the right",
    ({ components }) => {
      expect(Object.keys(components.schemas).filter((name) => /^class\..+\./.test(name))).toEqual([]);
    },
    { as: "reader" },
  ),
  described(
    "describes all classes to an administrator, with collections",
    (document) => {
      expect(classNamesOf(document)).toEqual([
        "ContactPerson",
        "Customer",
        "Employee",
        "File",
        "Image",
        "Invoice",
        "User",
        "UserGroup",
        "xRestApiUserProvider",
      ]);
      const { Groups } = document.components.schemas["class.User"].properties;
      expect(Groups).toMatchObject({
        type: "object",
        properties: { "~Elements": { type: "array", items: { $ref: "#/components/schemas/class.UserGroup" } } },
      });
      const { Name, Size, MediaType, Sha256 } = document.components.schemas["class.File"].properties;
      expect([Name, Size, MediaType, Sha256].map(({ type }) => [type].flat()[0])).toEqual([
        "string",
        "number",
        "string",
        "string",
      ]);
    },
    { as: "admin" },
  ),

  refused("refuses a wrong app key", { appkey: "x" }, 101),
  refused("requires an app key with a session", { appkey: null, sessionid: stranger }, 100),
  refused("refuses an invalid session", { sessionid: stranger }, 201),
  refused("refuses an invalid token", { "secure-token": stranger }, 203),
  refused("refuses an invalid authorization", { authorization: "Bearer x" }, 203),
  ...(["session", "token", "secure"] as const).map(
    (mode): Case => ({
      title: `refuses a valid credential beside another, of mode ${mode}`,
      as: "reader",
      modes: logInModes.filter((each) => headerOf[each] !== headerOf[mode]),
      path,
      headers: { [headerOf[mode]]: "x" },
      expect: { code: 203, beforeSession: true },
    }),
  ),
  {
    title: "separates databases",
    as: "admin",
    path: `/second${path}`,
    expect: { code: 201, beforeSession: true },
  },
  { title: "is read only", method: "POST", path, expect: { code: 305, headers: { allow: "GET" } } },
  { title: "exists for configured databases only", path: `/nothing${path}`, expect: { code: 304 } },
];
