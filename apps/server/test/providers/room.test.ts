import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunningServer } from "../../src/index.ts";
import { startConfiguredServer, startSeededServer } from "../demo-server.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { openProviderStage, type ProviderStage } from "./provider-stage.ts";
import { roomEnvironment, roomSuite } from "./room-suite.ts";

let stage: ProviderStage;
beforeAll(async () => {
  stage = await openProviderStage();
});
afterAll(() => stage.close());

describe.each(["memory", "embedded"] as const)("log-ins under way at providers, %s", (engine) => {
  let server: RunningServer;
  let directory: string;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "sallyport-providers-"));
    const storage = (schema: string) => (engine === "memory" ? { engine } : { engine, dataDir: directory, schema });
    server = await startSeededServer([storage("one"), storage("two")], roomEnvironment, undefined, stage.content);
  }, 60_000);
  afterAll(async () => {
    await server.close();
    rmSync(directory, { recursive: true });
  });

  roomSuite(
    () => [server, server],
    () => stage,
  );
});

describe("log-ins under way at providers, two servers on Postgres", () => {
  let postgres: PostgresFixture;
  let servers: [RunningServer, RunningServer];
  beforeAll(async () => {
    postgres = await openPostgresFixture();
    const storage = (schema: string) => ({ url: postgres.url, schema, migrateOnStart: true });
    const first = await startSeededServer([storage("one"), storage("two")], roomEnvironment, undefined, stage.content);
    const databases = [
      { alias: "", name: "demo", storage: storage("one") },
      { alias: "second", name: "second", storage: storage("two") },
    ];
    servers = [first, await startConfiguredServer({ ...stage.content, databases }, roomEnvironment)];
  }, 60_000);
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.close()));
    await postgres.close();
  });

  roomSuite(
    () => servers,
    () => stage,
  );
});
