import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunningServer } from "../../src/index.ts";
import { startConfiguredServer, startSeededServer } from "../demo-server.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { openProviderStage, type ProviderStage, stageEnvironment } from "./provider-stage.ts";
import { returnSuite } from "./return-suite.ts";

let stage: ProviderStage;
beforeAll(async () => {
  stage = await openProviderStage();
});
afterAll(() => stage.close());

describe.each(["memory", "embedded"] as const)("log-ins at providers that return to an app, %s", (engine) => {
  let server: RunningServer;
  let directory: string;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "sallyport-providers-"));
    const storage = (schema: string) => (engine === "memory" ? { engine } : { engine, dataDir: directory, schema });
    server = await startSeededServer([storage("one"), storage("two")], stageEnvironment, undefined, stage.content);
  }, 60_000);
  afterAll(async () => {
    await server.close();
    rmSync(directory, { recursive: true });
  });

  returnSuite(
    () => [server, server],
    () => stage,
  );
});

describe("log-ins at providers that return to an app, two servers on Postgres", () => {
  let postgres: PostgresFixture;
  let servers: [RunningServer, RunningServer];
  beforeAll(async () => {
    postgres = await openPostgresFixture();
    const storage = (schema: string) => ({ url: postgres.url, schema, migrateOnStart: true });
    const first = await startSeededServer([storage("one"), storage("two")], stageEnvironment, undefined, stage.content);
    const databases = [
      { alias: "", name: "demo", storage: storage("one") },
      { alias: "second", name: "second", storage: storage("two") },
    ];
    servers = [first, await startConfiguredServer({ ...stage.content, databases }, stageEnvironment)];
  }, 60_000);
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.close()));
    await postgres.close();
  });

  returnSuite(
    () => servers,
    () => stage,
  );
});
