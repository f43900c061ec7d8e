import { fileURLToPath } from "node:url";
import { StartError } from "../src/composition/start-error.ts";
import { loadConfiguration, type RunningServer, startServer } from "../src/index.ts";
import { call, tryLogIn } from "./client.ts";
import { startSeededServer } from "./demo-server.ts";
import { testEnvironment } from "./test-environment.ts";

const moduleAt = (name: string) => fileURLToPath(new URL(`modules/${name}.mjs`, import.meta.url));
const storageOf = (name: string, options: object = {}) => ({ engine: "module", module: moduleAt(name), options });

describe("a server with a storage from a module", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startSeededServer([
      storageOf("memory-storage", { name: "first" }),
      storageOf("memory-storage", { name: "second" }),
    ]);
  });
  afterAll(() => server.close());

  test("migrates it at the start, and works with it", async () => {
    const { sessionId } = (await tryLogIn(server, "demo")).body.data;
    expect((await call(server, "/v1/object/Customer", { method: "POST", sessionId, body: { Name: "New" } })).code).toBe(
      "0",
    );
    expect((await call(server, "/v1/objects/Invoice?perPage=1", { sessionId })).body.data["~Count"]).toBe(1_000);
    expect(server.databases.get("")?.storage).not.toBe(server.databases.get("second")?.storage);
  });
});

describe("a storage module is refused at the start", () => {
  test.each<[string, object, RegExp]>([
    [
      "that is not there",
      { engine: "module", module: "/nowhere/adapter.js" },
      /^The storage module \/nowhere\/adapter\.js cannot be loaded: /,
    ],
    [
      "whose package is not installed",
      { engine: "module", module: "no-such-adapter" },
      /^The storage module no-such-adapter cannot be loaded: Cannot find module 'no-such-adapter'/,
    ],
    ["without its function", storageOf("no-function"), /no-function\.mjs exports no function openStorage\.$/],
    [
      "that refuses its options",
      storageOf("memory-storage"),
      /memory-storage\.mjs opened no storage: The option name is missing\.$/,
    ],
    [
      "that opens something else",
      storageOf("no-storage"),
      /opened something that is no storage: archive, transaction, together, migrate are missing\.$/,
    ],
  ])("%s", async (_what, storage, message) => {
    const configuration = loadConfiguration({ content: { databases: [{ storage }] }, environment: testEnvironment });
    const refusal = await startServer(configuration).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(StartError);
    expect((refusal as StartError).message).toMatch(message);
  });
});
