import { openTestMariadb, type TestMariadb } from "../../../../packages/storage-knex/test/mariadb/test-mariadb.ts";
import { startConfiguredServer, startSeededServer } from "../demo-server.ts";
import { cursorSuite } from "../queries/cursor-suite.ts";

describe("cursors on MariaDB", () => {
  let mariadb: TestMariadb;
  let storages: readonly [object, object];
  beforeAll(async () => {
    mariadb = await openTestMariadb();
    const storage = () => ({ url: mariadb.url, schema: mariadb.freshName(), migrateOnStart: true });
    storages = [storage(), storage()];
    await (await startSeededServer(storages)).close();
  }, 60_000);
  afterAll(() => mariadb.close());

  cursorSuite((environment) =>
    Promise.all(
      [1, 2].map(() => startConfiguredServer({ databases: [{ alias: "", storage: storages[0] }] }, environment)),
    ),
  );
});
