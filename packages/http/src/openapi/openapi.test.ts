import {
  type AttributeDefinition,
  type AttributeType,
  attributeTypes,
  type ClassDefinition,
  Model,
  permissions,
  type ReadableClasses,
  errorEntry,
} from "@sallyport/core";
import { Validator } from "@seriousme/openapi-schema-validator";
import * as z from "zod";
import { openApiShape } from "../../test/open-api-shape.ts";
import { routeTable } from "../routes/route-table.ts";
import { declaredErrors, type Route, takesSession } from "../routes/route.ts";
import type { UseCases } from "../routes/use-cases.ts";
import { openApiDocument } from "./open-api-document.ts";

describe("API description of a database", () => {
  const routes = routeTable({} as UseCases);

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
    openApiDocument({ routes, title: "Test", version: "1.2.3", basePath: "/api", alias: "second", classes: described });
  const schemasOf = (described: ReadableClasses) =>
    describing(described).components.schemas as Record<string, Record<string, ReturnType<typeof JSON.parse>>>;

  const document = describing(readable("Hidden"));

  test("is valid, as is the general one", async () => {
    for (const each of [
      document,
      describing({ model, classes: [] }),
      openApiDocument({ routes, title: "Test", version: "1", basePath: "" }),
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
      openApiDocument({ routes: [], title: "a", version: "1", basePath, alias: "" }).servers.map(({ url }) => url);
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
    const list = routes.find(({ operation }) => operation === "listObjects");
    if (list === undefined) throw new Error("There is no list.");
    const reading = {
      model,
      classes: readable().classes.map((each) => ({
        ...each,
        permissions: each.modelClass.definition.name === "Base" ? permissions : (["read"] as const),
      })),
    };
    const both = openApiDocument({
      routes: [list, { ...list, method: "POST" }],
      title: "a",
      version: "1",
      basePath: "",
      classes: reading,
    });
    const { get, post } = both.paths["/v1/objects/{className}"] ?? {};
    expect(get?.parameters?.[0]?.schema).toMatchObject({ enum: classes.map(({ name }) => name) });
    expect(post?.parameters?.[0]?.schema).toMatchObject({ enum: ["Base"] });
  });
});

describe("open api document", () => {
  // Only the declarations of the routes are read, so no use case is called.
  const routes = routeTable({} as UseCases);
  const make = () => openApiDocument({ routes, title: "Sallyport", version: "1.2.3", basePath: "" });
  const document = make();

  const operationOf = ({ path, method }: Route) => document.paths[path]?.[method.toLowerCase() as "get"];

  describe("API description", () => {
    test("has the shape of OpenAPI 3.1", () => {
      expect(openApiShape.safeParse(JSON.parse(JSON.stringify(document))).error).toBeUndefined();
    });

    test("resolves all references, and contains no unreferenced component", () => {
      const references = new Set(
        [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, target]) => target),
      );
      const { schemas, examples, headers } = document.components;
      const components = Object.entries({ schemas, examples, headers }).flatMap(([folder, byName]) =>
        Object.keys(byName).map((name) => `#/components/${folder}/${name}`),
      );
      expect([...references].toSorted()).toEqual(components.toSorted());
    });

    test("names existing security schemes", () => {
      const names = routes.flatMap((route) => operationOf(route)?.security.flatMap((each) => Object.keys(each)) ?? []);
      expect([...new Set(names)].toSorted()).toEqual(Object.keys(document.components.securitySchemes).toSorted());
    });

    test("is deterministic", () => {
      expect(JSON.stringify(make())).toBe(JSON.stringify(document));
    });

    test("contains every route, and nothing else", () => {
      const described = Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.keys(methods)
          .filter((name) => name !== "servers")
          .map((method) => `${method.toUpperCase()} ${path}`),
      );
      const inNoEnvelope = ["GET /.well-known/jwks.json"];
      expect(described.toSorted()).toEqual(
        [...routes.map(({ method, path }) => `${method} ${path}`), ...inNoEnvelope].toSorted(),
      );
      const ids = routes.map((route) => operationOf(route)?.operationId);
      expect(new Set(ids).size).toBe(routes.length);
    });

    test("puts every operation under one of its headings", () => {
      const used = Object.values(document.paths).flatMap(({ servers: _servers, ...operations }) =>
        Object.values(operations).flatMap(({ tags }) => tags),
      );
      expect([...new Set(used)].toSorted()).toEqual(document.tags.map(({ name }) => name).toSorted());
    });

    test.each<[tag: string, operations: readonly string[]]>([
      [
        "Sessions",
        ["checkSession", "getLogInKey", "getSecureLogInKey", "logIn", "logInSecurely", "logInWithToken", "logOut"],
      ],
      ["Seats", ["releaseSeats", "reserveSeats"]],
      [
        "Providers",
        [
          "exchangeReturnCode",
          "finishAppleLogIn",
          "finishProviderLogIn",
          "listOwnLinks",
          "logInAndLinkProvider",
          "removeOwnLinks",
          "startProviderLogIn",
        ],
      ],
      ["Custom users", ["confirmChangePassword", "logInCustomUser"]],
      ["Passwords", ["changePassword", "confirmResetPassword", "resetPassword"]],
      [
        "Second factors",
        ["confirmSecondFactor", "enrolSecondFactor", "readSecondFactor", "removeSecondFactor", "validateSecondFactor"],
      ],
      [
        "Objects",
        [
          "createObject",
          "deleteObject",
          "getLock",
          "getObject",
          "getReaders",
          "listObjects",
          "listRecycler",
          "lockObject",
          "purgeObject",
          "purgeRecycler",
          "restoreObject",
          "setReaders",
          "unlockObject",
          "updateObject",
          "updateObjects",
        ],
      ],
      [
        "Files",
        [
          "beginUpload",
          "cancelUpload",
          "continueUpload",
          "downloadFile",
          "readUpload",
          "rejectUploadWithoutId",
          "storeFile",
          "uploadWhole",
        ],
      ],
      ["Macros", ["executeMacro"]],
      ["Model", ["getStructure", "putClass", "removeClass"]],
      [
        "Synchronization",
        ["deleteSynced", "listSyncSchemas", "patchSynced", "pull", "pullNamed", "pushChanges", "putSynced"],
      ],
      ["Service", ["checkService", "describeApi", "getKeySet", "multi"]],
    ])("has these operations under the heading %s", (tag, operations) => {
      const all = Object.values(document.paths).flatMap(({ servers: _servers, ...methods }) => Object.values(methods));
      expect(
        all
          .filter(({ tags }) => tags.includes(tag))
          .map(({ operationId }) => operationId)
          .toSorted(),
      ).toEqual(operations);
    });

    test("declares Retry-After for every status with a code that can carry it", () => {
      const responses = routes.flatMap((route) =>
        Object.entries(operationOf(route)?.responses ?? {}).map(([status, { headers = {}, description }]) => ({
          status,
          headers,
          description,
        })),
      );
      const able = responses.filter(
        ({ status, description }) => status === "503" || /`(?:302|326|339|342)`/.test(description),
      );
      expect(able.length).toBeGreaterThan(routes.length);
      expect(able.filter(({ headers }) => !("Retry-After" in headers))).toEqual([]);
    });

    test("has an example for every JSON parameter, and one for a bulk change that changes nothing", () => {
      const parameters = Object.values(document.paths).flatMap(({ servers: _servers, ...operations }) =>
        Object.values(operations).flatMap((each) => each.parameters ?? []),
      );
      const examples = parameters.flatMap(({ name, content }) =>
        content === undefined ? [] : [{ name, example: content["application/json"]?.example }],
      );
      expect(examples.filter(({ example }) => example === undefined)).toEqual([]);
      const { parameters: ofChange = [] } = document.paths["/v1/objects/{className}"]?.patch ?? {};
      expect(ofChange.find(({ name }) => name === "query")?.content?.["application/json"]?.example).toEqual({
        oids: [],
      });
    });

    test("prefixes every address with the base path", () => {
      const { servers } = openApiDocument({ routes: [], title: "a", version: "1", basePath: "/api" });
      expect(servers.map(({ url }) => url)).toEqual(["/api", "/api/{alias}"]);
    });

    test("describes the key set as public, for the whole server", () => {
      const { paths } = openApiDocument({ routes: [], title: "a", version: "1", basePath: "/api" });
      const { servers, get } = paths["/.well-known/jwks.json"] ?? {};
      expect(servers?.map(({ url }) => url)).toEqual(["/", "/api"]);
      expect(get?.security).toEqual([]);
      expect(Object.keys(get?.responses["200"]?.content ?? {})).toEqual(["application/jwk-set+json"]);
    });
  });

  describe.each(routes)("$method $path in the API description", (route) => {
    const operation = operationOf(route);

    test("declares the parameters of its path", () => {
      const inPath = operation?.parameters?.filter((parameter) => parameter.in === "path") ?? [];
      expect(inPath.map(({ name }) => `{${name}}`)).toEqual(route.path.match(/\{[^}]+\}/g) ?? []);
    });

    test("has a body exactly if the route takes one, and marks a required one", () => {
      const body = route.body ?? route.stream;
      expect(operation?.requestBody?.required).toBe(body === undefined ? undefined : body.optional !== true);
    });

    test("offers secure answers exactly for routes of secure sessions, and one of three credentials", () => {
      const answers = Object.entries(operation?.responses ?? {})
        .filter(([status]) => route.isFile !== true || Number(status) >= 400)
        .map(([, answer]) => answer);
      expect(new Set(answers.map(({ content }) => "application/text" in content))).toEqual(
        new Set([takesSession(route)]),
      );
      const ways = { public: 0, callback: 0, appKey: 1, secrets: 1, session: 3, optional: 4 }[route.access];
      expect(operation?.security).toHaveLength(route.keyInQuery === true ? ways + 1 : ways);
      const { headers, content } = operation?.responses[route.redirects === true ? "302" : "200"] ?? {};
      expect(Object.keys(headers ?? {}).includes("Encrypted")).toBe(takesSession(route) || route.sealed !== undefined);
      expect("text/plain" in (content ?? {})).toBe(route.sealed !== undefined);
      expect("application/json" in (content ?? {})).toBe(route.sealed?.always !== true && route.isFile !== true);
    });

    test("names every declared code once, under its status, in text, schema and example", () => {
      const failures = Object.entries(operation?.responses ?? {}).filter(([status]) => Number(status) >= 400);
      const codes = failures.flatMap(([status, { description, content }]) => {
        const { schema, examples } = content["application/json"] as { schema: object; examples: object };
        const named = [...description.matchAll(/^- `(\d+)`/gm)].map(([, code]) => code);
        const [, listed] = /"internalStatus":\{"enum":\[([^\]]+)\]/.exec(JSON.stringify(schema)) ?? [];
        expect(JSON.parse(`[${listed}]`)).toEqual(named);
        expect(Object.keys(examples)).toEqual(named);
        return named.map((code) => ({ code: Number(code), status: Number(status) }));
      });
      const declared = declaredErrors(route).map((code) => ({ code, status: errorEntry(code).status }));
      expect(codes.toSorted((a, b) => a.code - b.code)).toEqual(declared);
    });
  });

  describe("schemas in the API description", () => {
    const routeWith = (data: z.ZodType): Route => ({ ...(routes[0] as Route), data });
    const describing = (...all: z.ZodType[]) => {
      const described = all.map((data, index) => ({ ...routeWith(data), path: `/${index}` }));
      return openApiDocument({ routes: described, title: "a", version: "1", basePath: "" });
    };

    test("allow additional members in answers, unless declared otherwise", () => {
      const open = z.object({ a: z.int() }).meta({ id: "Open" });
      const closed = z.strictObject({}).meta({ id: "Closed" });
      const { schemas } = describing(open, closed).components;
      expect(schemas["Open"]).toEqual({ type: "object", properties: { a: { type: "integer" } }, required: ["a"] });
      expect(schemas["Closed"]).toMatchObject({ additionalProperties: false });
    });

    test("cannot share an id", () => {
      const first = z.object({ a: z.string() }).meta({ id: "Twice" });
      const second = z.object({ b: z.string() }).meta({ id: "Twice" });
      expect(() => describing(first, second)).toThrow("Several schemas have the id Twice.");
      expect(() => describing(first, first)).not.toThrow();
    });
  });
});
