import { openTestMariadb, type TestMariadb } from "../../../../packages/storage-knex/test/mariadb/test-mariadb.ts";
import type { RunningServer } from "../../src/index.ts";
import { startConfiguredServer, startSeededServer } from "../demo-server.ts";
import { openProviderStage, type ProviderStage, stageEnvironment } from "../providers/provider-stage.ts";
import { returnSuite } from "../providers/return-suite.ts";

describe("log-ins at providers that return to an app, two servers on MariaDB", () => {
  let stage: ProviderStage;
  let mariadb: TestMariadb;
  let servers: [RunningServer, RunningServer];
  beforeAll(async () => {
    stage = await openProviderStage();
    mariadb = await openTestMariadb();
    const storage = (schema: string) => ({ url: mariadb.url, schema, migrateOnStart: true });
    const [one, two] = [storage(mariadb.freshName()), storage(mariadb.freshName())];
    const first = await startSeededServer([one, two], stageEnvironment, undefined, stage.content);
    const databases = [
      { alias: "", name: "demo", storage: one },
      { alias: "second", name: "second", storage: two },
    ];
    servers = [first, await startConfiguredServer({ ...stage.content, databases }, stageEnvironment)];
  }, 60_000);
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.close()));
    await mariadb.close();
    await stage.close();
  });

  returnSuite(
    () => servers,
    () => stage,
  );
});
