import { openTestMariadb, type TestMariadb } from "../../../../packages/storage-knex/test/mariadb/test-mariadb.ts";
import type { RunningServer } from "../../src/index.ts";
import { startSeededServer } from "../demo-server.ts";
import { openProviderStage, type ProviderStage, stageEnvironment } from "../providers/provider-stage.ts";
import { flowSuite } from "../providers/flow-suite.ts";
import { providerHookEnvironment, providerHookSuite } from "../providers/hook-suite.ts";
import { providerSuite } from "../providers/provider-suite.ts";

describe("log-in with providers on MariaDB", () => {
  let stage: ProviderStage;
  let mariadb: TestMariadb;
  let server: RunningServer;
  beforeAll(async () => {
    stage = await openProviderStage();
    mariadb = await openTestMariadb();
    const storage = () => ({ url: mariadb.url, schema: mariadb.freshName(), migrateOnStart: true });
    server = await startSeededServer([storage(), storage()], stageEnvironment, undefined, stage.content);
  }, 60_000);
  afterAll(async () => {
    await server.close();
    await mariadb.close();
    await stage.close();
  });

  flowSuite(
    () => server,
    () => stage,
  );
  providerSuite(
    () => server,
    () => stage,
  );
});

describe("the hook for new users of providers on MariaDB", () => {
  let stage: ProviderStage;
  let mariadb: TestMariadb;
  let server: RunningServer;
  beforeAll(async () => {
    stage = await openProviderStage();
    mariadb = await openTestMariadb();
    const storage = () => ({ url: mariadb.url, schema: mariadb.freshName(), migrateOnStart: true });
    server = await startSeededServer([storage(), storage()], providerHookEnvironment, undefined, stage.content);
  }, 60_000);
  afterAll(async () => {
    await server.close();
    await mariadb.close();
    await stage.close();
  });

  providerHookSuite(
    () => server,
    () => stage,
  );
});
