import { openTestMariadb, type TestMariadb } from "../../../../packages/storage-knex/test/mariadb/test-mariadb.ts";
import type { RunningServer } from "../../src/index.ts";
import { startSeededServer } from "../demo-server.ts";
import { customResetSuite } from "../custom-reset-suite.ts";
import { Mailbox } from "../mailbox.ts";
import { resetMailEnvironment, resetMailSuite } from "../reset-mail-suite.ts";

describe("a reset by mail on MariaDB", () => {
  const mailbox = new Mailbox();
  let mariadb: TestMariadb;
  let server: RunningServer;
  beforeAll(async () => {
    await mailbox.open();
    mariadb = await openTestMariadb();
    const storage = () => ({ url: mariadb.url, schema: mariadb.freshName(), migrateOnStart: true });
    server = await startSeededServer([storage(), storage()], { ...resetMailEnvironment, ...mailbox.environment });
  }, 60_000);
  afterAll(async () => {
    await server.close();
    await mariadb.close();
    await mailbox.close();
  });

  resetMailSuite(
    () => server,
    () => mailbox,
  );

  describe("of a custom user", () => {
    customResetSuite(
      () => server,
      () => mailbox,
    );
  });
});
