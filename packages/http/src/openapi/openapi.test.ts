import { databaseOperations, operationsOf } from "@sallyport/contract";
import {
  type AttributeDefinition,
  type AttributeType,
  attributeTypes,
  type ClassDefinition,
  permissions,
} from "@sallyport/storage";
import { Model, type ReadableClasses } from "@sallyport/core";
import { Validator } from "@seriousme/openapi-schema-validator";
import { openApiShape } from "../../test/open-api-shape.ts";
import { openApiDocument } from "./open-api-document.ts";

describe("API description of a database", () => {
  const operations = operationsOf(databaseOperations);

  const attribute = (type: AttributeType, more: Partial<AttributeDefinition> = {}): AttributeDefinition => ({
    name: `A${type}`,
    type,
    ...more,
  });

  const classes: readonly ClassDefinition[] = [
    { name: "File", base: null, attributes: [], rights: [] },
    {
      name: "Every",
      base: null,
      attributes: attributeTypes.map((type) =>
        attribute(type, type === "reference" || type === "collection" ? { target: "Base" } : {}),
      ),
      rights: [],
    },
    {
      name: "Must",
      base: null,
      attributes: attributeTypes.map((type) => attribute(type, { mandatory: true, indexed: true })),
      rights: [],
    },
    { name: "Base", base: null, attributes: [{ name: "Own", type: "string" }], rights: [] },
    { name: "Below", base: "Base", attributes: [{ name: "More", type: "number" }], rights: [] },
    { name: "Hidden", base: "Base", attributes: [{ name: "Secret", type: "string" }], rights: [] },
    {
      name: "Leading",
      base: "Hidden",
      attributes: [
        attribute("reference", { target: "Hidden" }),
        attribute("collection", { name: "None", target: "Elsewhere" }),
      ],
      rights: [],
    },
    // Names that other parts of a description have.
    { name: "Object", base: null, attributes: [{ name: "constructor", type: "string" }], rights: [] },
    { name: "constructor", base: null, attributes: [], rights: [] },
  ];

  const model = new Model({ generation: 1, classes });

  function readable(...hidden: string[]): ReadableClasses {
    const seen = [...model.all()].filter(({ definition }) => !hidden.includes(definition.name));
    return { model, classes: seen.map((modelClass) => ({ modelClass, permissions })) };
  }

  const describing = (described: ReadableClasses) =>
    openApiDocument({
      operations,
      title: "Test",
      version: "1.2.3",
      basePath: "/api",
      alias: "second",
      classes: described,
    });
  const schemasOf = (described: ReadableClasses) =>
    describing(described).components.schemas as Record<string, Record<string, ReturnType<typeof JSON.parse>>>;

  const document = describing(readable("Hidden"));

  test("is valid, as is the general one", async () => {
    for (const each of [
      document,
      describing({ model, classes: [] }),
      openApiDocument({ operations, title: "Test", version: "1", basePath: "" }),
    ]) {
      const copy = JSON.parse(JSON.stringify(each));
      expect(openApiShape.safeParse(copy).error).toBeUndefined();
      expect(await new Validator().validate(copy)).toEqual({ valid: true });
    }
  });

  test("is reported when it is invalid", async () => {
    const broken = { ...JSON.parse(JSON.stringify(document)), paths: { "/x": { get: { responses: { 200: {} } } } } };
    expect(await new Validator().validate(broken)).toMatchObject({ valid: false });
  });

  test("resolves all of its references", () => {
    const references = new Set(
      Array.from(JSON.stringify(document).matchAll(/"#\/components\/([^"]+)"/g), ([, target = ""]) => target),
    );
    const missing = [...references].filter((target) => {
      const [folder = "", name = ""] = target.split(/\/(.*)/s);
      return !Object.hasOwn(document.components[folder as "schemas"], name);
    });
    expect(missing).toEqual([]);
  });

  test("has the address of the database", () => {
    expect(document.servers.map(({ url }) => url)).toEqual(["/api/second"]);
    const ofEmpty = (basePath: string) =>
      openApiDocument({ operations: [], title: "a", version: "1", basePath, alias: "" }).servers.map(({ url }) => url);
    expect([...ofEmpty(""), ...ofEmpty("/api")]).toEqual(["/", "/api"]);
  });

  test("describes the values of every type", () => {
    const { properties, required } = schemasOf(readable("Hidden"))["class.Every"] ?? {};
    const nothing = { type: "null" };
    const bases = [
      { $ref: "#/components/schemas/class.Base" },
      { $ref: "#/components/schemas/class.Below" },
      { $ref: "#/components/schemas/class.Leading" },
    ];
    expect(properties).toMatchObject({
      "~ClassName": { const: "Every" },
      Astring: { type: ["string", "null"] },
      Anumber: { type: ["number", "null"] },
      Aboolean: { type: ["boolean", "null"] },
      Adate: { anyOf: [{ format: "date" }, { format: "date-time" }, nothing] },
      Ajson: { description: "Any JSON value." },
      Afile: { anyOf: [{ $ref: "#/components/schemas/class.File" }, nothing] },
      Areference: { anyOf: [...bases, nothing] },
      Acollection: { properties: { "~Elements": { type: "array", items: { anyOf: bases } } } },
    });
    expect(required).toEqual(["~ClassName", "~ObjectID", "~StoreTime"]);
  });

  test("marks mandatory attributes as never null, unless the value may be hidden", () => {
    const { properties } = schemasOf(readable())["class.Must"] ?? {};
    expect(properties).toMatchObject({
      Astring: { type: "string", description: "Mandatory. Indexed." },
      Adate: { anyOf: [{ format: "date" }, { format: "date-time" }] },
      Areference: { anyOf: [{ $ref: "#/components/schemas/Object" }, { type: "null" }] },
    });
    expect(properties.Adate.anyOf).toHaveLength(2);
  });

  test("repeats inherited attributes in each class, and names a readable base", () => {
    const all = schemasOf(readable());
    expect(Object.keys(all["class.Below"]?.["properties"])).toEqual([
      "~ClassName",
      "~ObjectID",
      "~UUID",
      "~StoreTime",
      "Own",
      "More",
    ]);
    expect(all["class.Below"]?.["description"]).toBe("Inherits from `Base`.");
    expect(schemasOf(readable("Base"))["class.Below"]).not.toHaveProperty("description");
  });

  test("reveals nothing about an unreadable class, anywhere", () => {
    const hidden = readable("Hidden", "Base", "Below", "Leading", "File");
    const text = JSON.stringify(describing(hidden));
    for (const name of ["Hidden", "Secret", "class.File", "Leading"]) expect(text).not.toContain(`"${name}`);
    expect(schemasOf(hidden)["class.Every"]?.["properties"]).toMatchObject({
      Areference: { type: "null" },
      Afile: { type: "null" },
      Acollection: { properties: { "~Elements": { type: "array", maxItems: 0 } } },
    });
  });

  test("distinguishes the classes of objects by the class name", () => {
    const { anyOf, discriminator } = schemasOf(readable("Hidden"))["Object"] ?? {};
    expect(discriminator.propertyName).toBe("~ClassName");
    expect(Object.values(discriminator.mapping)).toEqual(anyOf.map(({ $ref }: { $ref: string }) => $ref));
    expect(discriminator.mapping["constructor"]).toBe("#/components/schemas/class.constructor");
    expect(discriminator.mapping["Object"]).toBe("#/components/schemas/class.Object");
  });

  test("stays general if nothing is readable", () => {
    expect(schemasOf({ model, classes: [] })["Object"]).toMatchObject({ type: "object" });
  });

  test("describes writable bodies: whole objects with all mandatory attributes, and changes", () => {
    const written = schemasOf(readable());
    expect(written["class.Must.new"]).toMatchObject({
      allOf: [{ $ref: "#/components/schemas/class.Must.change" }],
      required: attributeTypes.map((type) => `A${type}`),
    });
    expect(written["class.Every.new"]).not.toHaveProperty("required");
    const target = { $ref: "#/components/schemas/ReferenceTarget" };
    expect(written["class.Must.change"]).toMatchObject({
      additionalProperties: false,
      properties: {
        Astring: { type: "string" },
        Areference: target,
        Acollection: { anyOf: [{ type: "array", items: target }] },
      },
    });
    expect(written["class.Every.change"]?.["properties"]).toMatchObject({
      Areference: { anyOf: [target, { type: "null" }] },
      Anumber: { type: ["number", "null"] },
    });
    expect(written["class.Every.change"]?.["properties"]).not.toHaveProperty("~ObjectID");
  });

  test("offers a body for each class on which the caller has the permission of the method, with an example", () => {
    const may = (name: string) =>
      name === "Base" ? permissions : name === "Below" ? (["read", "write"] as const) : (["read"] as const);
    const some = {
      model,
      classes: readable().classes.map((each) => ({ ...each, permissions: may(each.modelClass.definition.name) })),
    };
    const { post, patch } = describing(some).paths["/v1/object/{idOrClass}"] ?? {};
    const bodyOf = (operation: typeof post) => operation?.requestBody?.content["application/json"];
    expect(bodyOf(post)?.schema).toEqual({ anyOf: [{ $ref: "#/components/schemas/class.Base.new" }] });
    expect(bodyOf(patch)?.schema).toEqual({
      anyOf: ["Base", "Below"].map((name) => ({ $ref: `#/components/schemas/class.${name}.change` })),
    });
    expect(bodyOf(patch)?.examples).toEqual({
      Base: { summary: "Base", value: { Own: "Own" } },
      Below: { summary: "Below", value: { Own: "Own", More: 1 } },
    });
    expect(post?.parameters?.[0]?.schema).toEqual({ type: "string", enum: ["Base"] });
    expect(patch?.parameters?.[0]?.schema).toEqual({ type: "string", minLength: 1 });
  });

  test("offers no body to a caller without write permission", () => {
    const reading = { model, classes: readable().classes.map((each) => ({ ...each, permissions: ["read"] as const })) };
    const { paths, components } = describing(reading);
    expect(paths["/v1/object/{idOrClass}"]?.post?.requestBody?.content["application/json"]?.schema).toEqual({
      $ref: "#/components/schemas/Attributes",
    });
    expect(Object.keys(components.schemas).filter((name) => name.endsWith(".change") || name.endsWith(".new"))).toEqual(
      [],
    );
  });

  test("offers a path the classes on which the caller has its permission", () => {
    const list = operations.find(({ id }) => id === "listObjects");
    if (list === undefined) throw new Error("There is no list.");
    const reading = {
      model,
      classes: readable().classes.map((each) => ({
        ...each,
        permissions: each.modelClass.definition.name === "Base" ? permissions : (["read"] as const),
      })),
    };
    const both = openApiDocument({
      operations: [list, { ...list, method: "POST" }],
      title: "a",
      version: "1",
      basePath: "",
      classes: reading,
    });
    const { get, post } = both.paths["/v1/objects/{className}"] ?? {};
    expect(get?.parameters?.[0]?.schema).toMatchObject({ enum: classes.map(({ name }) => name) });
    expect(post?.parameters?.[0]?.schema).toMatchObject({ enum: ["Base"] });
  });

  describe("of macros", () => {
    const macros = [
      { name: "Any" },
      {
        name: "Order",
        input: {
          $schema: "https://json-schema.org/draft/2020-12/schema",
          type: "object",
          properties: {
            lines: { type: "array", items: { $ref: "#/$defs/line" } },
            note: { type: ["string", "null"] },
            kind: { enum: ["retail", "trade"] },
            count: { type: "integer", default: 3 },
            parent: { $ref: "#" },
          },
          $defs: { line: { type: "object", properties: { article: { type: "string", examples: ["2B"] } } } },
        },
      },
      { name: "constructor", input: false },
      { name: "Foreign", input: { $id: "https://schema.example/a", $ref: "#/$defs/a", $defs: { a: {} } } },
    ];
    const described = openApiDocument({ operations, title: "a", version: "1", basePath: "", macros });
    const body = described.paths["/v1/execute/{macroName}"]?.post?.requestBody?.content["application/json"];

    test("describes the input that they declare", async () => {
      const schemas = described.components.schemas as Record<string, ReturnType<typeof JSON.parse>>;
      expect(Object.keys(schemas).filter((name) => name.startsWith("macro."))).toEqual([
        "macro.Order",
        "macro.constructor",
      ]);
      expect(schemas["macro.Order"].properties.lines.items).toEqual({
        $ref: "#/components/schemas/macro.Order/$defs/line",
      });
      expect(schemas["macro.Order"].properties.parent).toEqual({ $ref: "#/components/schemas/macro.Order" });
      expect(schemas["macro.Order"]).not.toHaveProperty("$schema");
      expect(schemas["macro.constructor"]).toEqual({ title: "constructor", not: {} });
      expect(body?.schema).toEqual({
        anyOf: [
          { $ref: "#/components/schemas/macro.Order" },
          { $ref: "#/components/schemas/macro.constructor" },
          { title: "Any input" },
        ],
      });
      expect((await new Validator().validate(JSON.parse(JSON.stringify(described)))).errors).toBeUndefined();
    });

    test("has an example of each", () => {
      expect(Object.keys(body?.examples ?? {})).toEqual(["Order", "constructor"]);
      expect(body?.examples?.["Order"]).toEqual({
        summary: "Order",
        value: {
          lines: [{ article: "2B" }],
          note: "",
          kind: "retail",
          count: 3,
          parent: {
            lines: [null],
            note: "",
            kind: "retail",
            count: 3,
            parent: { lines: null, note: null, kind: null, count: null, parent: null },
          },
        },
      });
    });

    test("leaves the body open if none declares its input", () => {
      const open = openApiDocument({ operations, title: "a", version: "1", basePath: "", macros: [{ name: "Any" }] });
      const { requestBody, parameters } = open.paths["/v1/execute/{macroName}"]?.post ?? {};
      expect(requestBody?.content["application/json"]).not.toHaveProperty("examples");
      expect(parameters?.[0]?.schema).toEqual({ type: "string", enum: ["Any"] });
    });
  });
});
