import { openTestMariadb, type TestMariadb } from "../../../../packages/storage-knex/test/mariadb/test-mariadb.ts";
import type { RunningServer } from "../../src/index.ts";
import { startSeededServer } from "../demo-server.ts";
import { Mailbox } from "../mailbox.ts";
import { linkMailSuite } from "../providers/link-mail-suite.ts";
import { openProviderStage, type ProviderStage, stageEnvironment } from "../providers/provider-stage.ts";

describe("mail of new links on MariaDB", () => {
  const mailbox = new Mailbox();
  let stage: ProviderStage;
  let mariadb: TestMariadb;
  let server: RunningServer;
  beforeAll(async () => {
    stage = await openProviderStage();
    await mailbox.open();
    mariadb = await openTestMariadb();
    const storage = () => ({ url: mariadb.url, schema: mariadb.freshName(), migrateOnStart: true });
    server = await startSeededServer(
      [storage(), storage()],
      { ...stageEnvironment, ...mailbox.environment },
      undefined,
      stage.content,
    );
  }, 60_000);
  afterAll(async () => {
    await server.close();
    await Promise.all([mailbox.close(), mariadb.close(), stage.close()]);
  });

  linkMailSuite(
    () => server,
    () => stage,
    () => mailbox,
  );
});
