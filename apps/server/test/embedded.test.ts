import type { RunningServer } from "../src/index.ts";
import { startDemoServer } from "./demo-server.ts";
import { smokeSuite } from "./demo-suite.ts";
import { secureSuite } from "./secure/secure-suite.ts";
import { storedServerKeys } from "./secure/stored-keys.ts";

describe("the demo on the embedded engine", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startDemoServer("embedded", storedServerKeys);
  }, 60_000);
  afterAll(() => server.close());

  smokeSuite(() => server);
  describe("in token mode and secure mode", () => {
    secureSuite(() => server);
  });
});
