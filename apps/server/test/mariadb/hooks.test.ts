import { openTestMariadb, type TestMariadb } from "../../../../packages/storage-knex/test/mariadb/test-mariadb.ts";
import type { RunningServer } from "../../src/index.ts";
import { startSeededServer } from "../demo-server.ts";
import { hookEnvironment, hookSuite } from "../hook-suite.ts";

describe("hooks on MariaDB", () => {
  let mariadb: TestMariadb;
  let server: RunningServer;
  beforeAll(async () => {
    mariadb = await openTestMariadb();
    const storage = () => ({ url: mariadb.url, schema: mariadb.freshName(), migrateOnStart: true });
    server = await startSeededServer([storage(), storage()], hookEnvironment);
  }, 60_000);
  afterAll(async () => {
    await server.close();
    await mariadb.close();
  });

  hookSuite(() => server);
});
