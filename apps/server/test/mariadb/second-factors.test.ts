import { openTestMariadb, type TestMariadb } from "../../../../packages/storage-knex/test/mariadb/test-mariadb.ts";
import type { RunningServer } from "../../src/index.ts";
import { startSeededServer } from "../demo-server.ts";
import { secondFactorEnvironment, secondFactorSuite } from "../second-factor-suite.ts";

describe("second factors on MariaDB", () => {
  let mariadb: TestMariadb;
  let server: RunningServer;
  beforeAll(async () => {
    mariadb = await openTestMariadb();
    const storage = () => ({ url: mariadb.url, schema: mariadb.freshName(), migrateOnStart: true });
    server = await startSeededServer([storage(), storage()], secondFactorEnvironment);
  }, 60_000);
  afterAll(async () => {
    await server.close();
    await mariadb.close();
  });

  secondFactorSuite(() => server);
});
