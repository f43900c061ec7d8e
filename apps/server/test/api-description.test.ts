import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { RunningServer } from "../src/index.ts";
import { logIn } from "./cases/run-cases.ts";
import { startDemoServer } from "./demo-server.ts";
import { appKey } from "./subject.ts";

type Document = ReturnType<typeof JSON.parse>;

describe("the API description of the demo", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startDemoServer("memory");
  }, 60_000);
  afterAll(() => server.close());

  const get = async (path: string, headers: Record<string, string>): Promise<Document> =>
    (await fetch(server.url + path, { headers })).json();
  const session = async (user: string) => ({ appkey: appKey, sessionid: await logIn(server, user) });

  test.each(["nobody", "reader", "admin"])("is valid for %s", async (user) => {
    const document = await get("/openapi.json", user === "nobody" ? {} : await session(user));
    expect(await new Validator().validate(document)).toEqual({ valid: true });
  });

  test("says by which types text goes out, as every answer does", async () => {
    const { headers } = await fetch(`${server.url}/openapi.json`);
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  describe.each(["reader", "admin"])("for %s", (user) => {
    const serializations = [
      {},
      { depth: 0 },
      { depth: 5 },
      { type: "empty" },
      { type: "oid" },
      { type: "custom", fields: [] },
    ];

    test("fits what lists and objects hold", async () => {
      const headers = await session(user);
      const document: Document = await get("/openapi.json", headers);
      const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true }).addSchema(document, "api");
      const check = (schema: string, data: unknown) => {
        const validate = ajv.getSchema(`api#/components/schemas/${schema}`);
        expect({ fits: validate?.(data), errors: validate?.errors }).toEqual({ fits: true, errors: null });
      };
      const names: string[] = document.paths["/v1/objects/{className}"].get.parameters[0].schema.enum;
      expect(names.length).toBeGreaterThan(1);
      for (const name of names) {
        for (const serialization of serializations) {
          const { data } = await get(
            `/v1/objects/${name}?perPage=20&serialization=${encodeURIComponent(JSON.stringify(serialization))}`,
            headers,
          );
          check("ObjectList", data);
        }
        const { data } = await get(`/v1/objects/${name}?perPage=3`, headers);
        for (const element of data["~Elements"]) check(`class.${name}`, element);
      }
    });

    if (user === "admin") {
      test("has examples that can be created as they are", async () => {
        const headers = await session(user);
        const { paths } = await get("/openapi.json", headers);
        const { post } = paths["/v1/object/{idOrClass}"];
        const examples = Object.entries(
          post.requestBody.content["application/json"].examples as Record<string, { value: object }>,
        );
        expect(examples.map(([name]) => name)).toEqual(post.parameters[0].schema.enum);
        for (const [name, { value }] of examples) {
          const init = {
            method: "POST",
            headers: { ...headers, "content-type": "application/json" },
            body: JSON.stringify(value),
          };
          const answer = (await (await fetch(`${server.url}/v1/object/${name}`, init)).json()) as Document;
          expect({ name, status: answer.status.internalStatus }).toEqual({ name, status: "0" });
        }
      });
    }

    test("does not fit objects with wrong values", async () => {
      const document: Document = await get("/openapi.json", await session(user));
      const validate = new Ajv2020({ strict: false, validateFormats: false })
        .addSchema(document, "api")
        .getSchema("api#/components/schemas/class.Customer");
      const customer = { "~ClassName": "Customer", "~ObjectID": "1", "~StoreTime": "x" };
      expect(validate?.(customer)).toBe(true);
      expect(validate?.({ ...customer, Active: "yes" })).toBe(false);
      expect(validate?.({ ...customer, "~ClassName": "Invoice" })).toBe(false);
    });
  });
});
