import { hookEnvironment, hookSuite } from "./hook-suite.ts";
import { startDemoServer } from "./demo-server.ts";
import type { RunningServer } from "../src/index.ts";
import { suiteOnPostgres } from "./suite-on-postgres.ts";

describe.each(["memory", "embedded"] as const)("hooks with storage %s", (engine) => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startDemoServer(engine, hookEnvironment);
  }, 60_000);
  afterAll(() => server.close());

  hookSuite(() => server);
});

suiteOnPostgres("hooks on Postgres", hookSuite, hookEnvironment);
