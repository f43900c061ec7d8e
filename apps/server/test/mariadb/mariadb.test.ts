import { openTestMariadb, type TestMariadb } from "../../../../packages/storage-knex/test/mariadb/test-mariadb.ts";
import type { RunningServer } from "../../src/index.ts";
import { startSeededServer } from "../demo-server.ts";
import { demoSuite } from "../demo-suite.ts";
import { serverSuite, serverSuiteEnvironment } from "../server-suite.ts";

describe("a server with databases on MariaDB", () => {
  let mariadb: TestMariadb;
  let server: RunningServer;
  beforeAll(async () => {
    mariadb = await openTestMariadb();
    const storage = () => ({ url: mariadb.url, schema: mariadb.freshName(), migrateOnStart: true });
    server = await startSeededServer([storage(), storage()], serverSuiteEnvironment);
  }, 60_000);
  afterAll(async () => {
    await server.close();
    await mariadb.close();
  });

  demoSuite(() => server);
  serverSuite(() => server);
});
