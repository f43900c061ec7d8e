import { startRealPostgres } from "../../../packages/storage-knex/test/real-postgres.ts";
import type { RunningServer } from "../src/index.ts";
import { startDemoServer } from "./demo-server.ts";
import { demoSuite } from "./demo-suite.ts";

describe("the demo on Postgres", () => {
  let server: RunningServer;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    const postgres = await startRealPostgres();
    const { url, drop } = await postgres.createDatabase();
    stop = async () => {
      await server.close();
      await drop();
      await postgres.stop();
    };
    server = await startDemoServer({ databaseUrl: url });
  }, 60_000);
  afterAll(() => stop());

  demoSuite(() => server);
});
