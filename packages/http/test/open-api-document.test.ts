import { databaseOperations, declaredErrors, type Operation, operationsOf, takesSession } from "@sallyport/contract";
import { errorEntry } from "@sallyport/storage";
import * as z from "zod";
import { openApiShape } from "./open-api-shape.ts";
import { openApiDocument } from "../src/openapi/open-api-document.ts";

/** The description of all routes. */
describe("open api document", () => {
  const routes = operationsOf(databaseOperations);
  const make = () => openApiDocument({ operations: routes, title: "Sallyport", version: "1.2.3", basePath: "" });
  const document = make();

  const operationOf = ({ path, method }: Operation) => document.paths[path]?.[method.toLowerCase() as "get"];

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
      const { servers } = openApiDocument({ operations: [], title: "a", version: "1", basePath: "/api" });
      expect(servers.map(({ url }) => url)).toEqual(["/api", "/api/{alias}"]);
    });

    test("describes the key set as public, for the whole server", () => {
      const { paths } = openApiDocument({ operations: [], title: "a", version: "1", basePath: "/api" });
      const { servers, get } = paths["/.well-known/jwks.json"] ?? {};
      expect(servers?.map(({ url }) => url)).toEqual(["/", "/api"]);
      expect(get?.security).toEqual([]);
      expect(Object.keys(get?.responses["200"]?.content ?? {})).toEqual(["application/jwk-set+json"]);
    });
  });

  describe.each(routes)("$method $path in the API description", (route) => {
    const operation = operationOf(route);

    test("has the id and the heading of its declaration", () => {
      expect([operation?.operationId, operation?.tags]).toEqual([route.id, [route.tag]]);
    });

    test("declares the parameters of its path", () => {
      const inPath = operation?.parameters?.filter((parameter) => parameter.in === "path") ?? [];
      expect(inPath.map(({ name }) => `{${name}}`)).toEqual(route.path.match(/\{[^}]+\}/g) ?? []);
    });

    test("has a body exactly if the route takes one, and marks a required one", () => {
      const body = route.body;
      expect(operation?.requestBody?.required).toBe(body === undefined ? undefined : body.optional !== true);
    });

    test("offers secure answers exactly for routes of secure sessions, and one of three credentials", () => {
      const answers = Object.entries(operation?.responses ?? {})
        .filter(([status]) => route.answer !== "file" || Number(status) >= 400)
        .map(([, answer]) => answer);
      expect(new Set(answers.map(({ content }) => "application/text" in content))).toEqual(
        new Set([takesSession(route)]),
      );
      const sealed = typeof route.answer === "object" ? route.answer : undefined;
      const ways = { public: 0, address: 0, ticket: 0, appKey: 1, secrets: 1, navigation: 2, session: 3, optional: 4 }[
        route.access
      ];
      expect(operation?.security).toHaveLength(ways);
      const { headers, content } = operation?.responses[route.answer === "redirect" ? "302" : "200"] ?? {};
      expect(Object.keys(headers ?? {}).includes("Encrypted")).toBe(takesSession(route) || sealed !== undefined);
      expect("text/plain" in (content ?? {})).toBe(sealed !== undefined);
      expect("application/json" in (content ?? {})).toBe(sealed?.always !== true && route.answer !== "file");
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
    const routeWith = (data: z.ZodType): Operation => ({ ...(routes[0] as Operation), data });
    const describing = (...all: z.ZodType[]) => {
      const described = all.map((data, index) => ({ ...routeWith(data), path: `/${index}` }));
      return openApiDocument({ operations: described, title: "a", version: "1", basePath: "" });
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
