import type { RunningServer } from "../src/index.ts";
import { startDemoServer } from "./demo-server.ts";
import { demoSuite } from "./demo-suite.ts";

describe("the demo on the embedded engine", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startDemoServer("embedded");
  }, 60_000);
  afterAll(() => server.close());

  demoSuite(() => server);
});
