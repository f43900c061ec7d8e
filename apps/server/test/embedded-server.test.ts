import type { RunningServer } from "../src/index.ts";
import { startDemoServer } from "./demo-server.ts";
import { serverSuite, serverSuiteEnvironment } from "./server-suite.ts";

describe("a server on the embedded engine", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startDemoServer("embedded", serverSuiteEnvironment);
  }, 60_000);
  afterAll(() => server.close());

  serverSuite(() => server);
});
