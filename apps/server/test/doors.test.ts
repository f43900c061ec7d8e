import type { RunningServer } from "../src/index.ts";
import { startDemoServer } from "./demo-server.ts";
import { doorEnvironment, doorSuite } from "./doors/door-suite.ts";
import { suiteOnPostgres } from "./suite-on-postgres.ts";

describe.each(["memory", "embedded"] as const)("doors with storage %s", (engine) => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startDemoServer(engine, doorEnvironment);
  }, 60_000);
  afterAll(() => server.close());

  doorSuite(() => server);
});

suiteOnPostgres("doors on Postgres", doorSuite, doorEnvironment);
