import type { RunningServer } from "../src/index.ts";
import { startDemoServer } from "./demo-server.ts";
import { demoSuite } from "./demo-suite.ts";
import { serverSuite, serverSuiteEnvironment } from "./server-suite.ts";

describe("a server with databases in memory", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startDemoServer("memory", serverSuiteEnvironment);
  }, 60_000);
  afterAll(() => server.close());

  demoSuite(() => server);
  serverSuite(() => server);
});
