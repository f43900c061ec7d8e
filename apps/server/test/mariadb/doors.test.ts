import { openTestMariadb, type TestMariadb } from "../../../../packages/storage-knex/test/mariadb/test-mariadb.ts";
import type { RunningServer } from "../../src/index.ts";
import { startSeededServer } from "../demo-server.ts";
import { callbackEnvironment, callbackSuite } from "../doors/callback-suite.ts";
import { doorEnvironment, doorSuite } from "../doors/door-suite.ts";
import { openProviderStage, type ProviderStage } from "../providers/provider-stage.ts";

describe("doors on MariaDB", () => {
  let mariadb: TestMariadb;
  let server: RunningServer;
  beforeAll(async () => {
    mariadb = await openTestMariadb();
    const storage = () => ({ url: mariadb.url, schema: mariadb.freshName(), migrateOnStart: true });
    server = await startSeededServer([storage(), storage()], doorEnvironment);
  }, 60_000);
  afterAll(async () => {
    await server.close();
    await mariadb.close();
  });

  doorSuite(() => server);
});

describe("the callback of providers on MariaDB", () => {
  let stage: ProviderStage;
  let mariadb: TestMariadb;
  let server: RunningServer;
  beforeAll(async () => {
    stage = await openProviderStage();
    mariadb = await openTestMariadb();
    const storage = () => ({ url: mariadb.url, schema: mariadb.freshName(), migrateOnStart: true });
    server = await startSeededServer([storage(), storage()], callbackEnvironment, undefined, stage.content);
  }, 60_000);
  afterAll(async () => {
    await server.close();
    await mariadb.close();
    await stage.close();
  });

  callbackSuite(
    () => server,
    () => stage,
  );
});
