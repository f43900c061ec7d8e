import { openTestMariadb, type TestMariadb } from "../../../../packages/storage-knex/test/mariadb/test-mariadb.ts";
import type { RunningServer } from "../../src/index.ts";
import { startSeededServer } from "../demo-server.ts";
import { readersSuite } from "../readers-suite.ts";

describe("readers on MariaDB", () => {
  let mariadb: TestMariadb;
  let server: RunningServer;
  beforeAll(async () => {
    mariadb = await openTestMariadb();
    const storage = () => ({ url: mariadb.url, schema: mariadb.freshName(), migrateOnStart: true });
    server = await startSeededServer([storage(), storage()]);
  }, 60_000);
  afterAll(async () => {
    await server.close();
    await mariadb.close();
  });

  readersSuite(() => server);
});
