import { readFileSync } from "node:fs";
import * as sallyport from "@sallyport/client";
import * as identity from "@sallyport/client/identity";
import { transform } from "esbuild";
import { FakeServer, refusal, success, user } from "./fake-server.ts";
import { logInOptions, modes } from "./modes.ts";

const guide = readFileSync(new URL("../../../docs/guides/client.md", import.meta.url), "utf8");
const examples = [...guide.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => String(code));

/** An example as the body of a function: its imports become the exports of the package. */
async function runnable(example: string): Promise<string> {
  const { code } = await transform(example, { loader: "ts", target: "es2022" });
  return code
    .replaceAll(/^import type .*;$/gm, "")
    .replaceAll(/^import (\{[^}]+\}) from "@sallyport\/client";$/gm, "const $1 = sallyport;")
    .replaceAll(/^import (\{[^}]+\}) from "@sallyport\/client\/identity";$/gm, "const $1 = identity;");
}

function serverOf(lines: string[]): FakeServer {
  const server = new FakeServer();
  const customer = { ...user, "~ClassName": "Customer", Name: "Zoë" };
  const list = () => success({ "~Count": 1, "~UnfilteredCount": 1, "~Elements": [customer] });
  server.routes.set("session /v1/objects/Customer", list);
  server.routes.set("session /v1/object/Customer", ({ body }) =>
    success({ ...customer, ...JSON.parse(body) }, { etag: '"1"' }),
  );
  server.routes.set("session /v1/object/G", ({ method, body, headers }) => {
    if (method === "GET") return success({ Name: "demo" }, { etag: '"1"' });
    return headers.get("if-match") === '"1"'
      ? success({ ...customer, ...JSON.parse(body) }, { etag: '"2"' })
      : refusal(713, 500);
  });
  const attribute = { name: "Name", type: "string", mandatory: true, indexed: false, inherited: false };
  const structure = {
    name: "Customer",
    base: null,
    builtIn: false,
    attributes: [attribute],
    permissions: [],
    rights: [],
  };
  server.routes.set("session /v1/model/structure", () => success({ classes: [structure] }, { etag: '"4"' }));
  server.routes.set("session /v1/model/structure/Customer", ({ body, headers }) =>
    headers.get("if-match") === '"4"' ? success({ ...structure, ...JSON.parse(body) }) : refusal(713, 500),
  );
  server.routes.set("session /v1/multi", ({ body }) =>
    success(
      JSON.parse(body).map(({ path }: { path: string }) =>
        path.startsWith("/v1/object/G?")
          ? { httpStatus: 200, result: { status: { internalStatus: "0", statusMessage: "ok" }, data: "the customer" } }
          : { httpStatus: 404, result: { status: { internalStatus: "304", statusMessage: "Invalid path" } } },
      ),
    ),
  );
  server.routes.set("/v1/auth/df", () => {
    server.sessions.add({ header: "sessionid", value: "custom" });
    return success({ sessionId: "custom", user, databaseName: "demo" });
  });
  server.routes.set("session /v1/changePassword", () => success({ confirmationRequired: true }));
  server.routes.set("session /v1/object/ZZZZZZ", () => refusal(304, 404));
  server.routes.set("session /v1/execute/myMacro", ({ body }) => {
    lines.push(`the macro got ${body}`);
    return success({ done: true });
  });
  return server;
}

const expected = [
  ["G in demo", "Zoë"],
  [],
  ['demo "1"', "1 1"],
  ["Zoë", "1"],
  ['Graz "2"'],
  ["the customer 304"],
  ["Name, Email"],
  ["A code is on its way.", "2f1c"],
  ['the macro got {"a":1}', '{"status":{"internalStatus":"0","statusMessage":"ok"},"data":{"done":true}}'],
  ["304 404 r-1 "],
];

test("every expectation has an example", () => {
  expect(examples).toHaveLength(expected.length);
});

describe.each(modes)("with a client in mode %s", (mode) => {
  test.each(expected.map((lines, index) => [index, lines] as const))(
    "example %i produces the documented output",
    async (index, expectedLines) => {
      const lines: string[] = [];
      const server = serverOf(lines);
      // The first example logs in to a database with an alias; the fake has one database only.
      const send: sallyport.Fetch = (input, init) => server.fetch(String(input).replace("/archive/", "/"), init);
      const client = new sallyport.SallyportClient({
        baseUrl: "https://db.example.com",
        appKey: "my-app-key",
        fetch: send,
      });
      server.appKey = "my-app-key";
      await client.logIn(logInOptions(mode));
      const log = { log: (...words: unknown[]) => lines.push(words.map((word) => word ?? "").join(" ")) };
      const code = await runnable(examples[index] ?? "");
      const parameters = {
        identity,
        sallyport: { ...sallyport, SallyportClient: clientWith(send) },
        console: log,
        fetch: send,
      };
      const shared = /const client\b/.test(code) ? {} : { client };
      const names = { ...parameters, ...shared };
      const run = new Function(...Object.keys(names), `return (async () => {${code}})();`) as (
        ...values: unknown[]
      ) => Promise<void>;
      await run(...Object.values(names));
      expect(lines).toEqual(expectedLines);
      // Examples generate keys, which can take long on a busy machine.
    },
    60_000,
  );
});

/** The client class, which sends to the fake by default. */
function clientWith(send: sallyport.Fetch): typeof sallyport.SallyportClient {
  return class extends sallyport.SallyportClient {
    constructor(options: sallyport.ClientOptions) {
      super({ fetch: send, ...options });
    }
  };
}
