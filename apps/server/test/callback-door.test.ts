import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunningServer } from "../src/index.ts";
import { startSeededServer } from "./demo-server.ts";
import { callbackEnvironment, callbackSuite } from "./doors/callback-suite.ts";
import { openPostgresFixture, type PostgresFixture } from "./postgres-fixture.ts";
import { openProviderStage, type ProviderStage } from "./providers/provider-stage.ts";

describe.each(["memory", "embedded", "Postgres"] as const)("the callback of providers, with storage %s", (engine) => {
  let stage: ProviderStage;
  let postgres: PostgresFixture | undefined;
  let directory: string;
  let server: RunningServer;
  beforeAll(async () => {
    stage = await openProviderStage();
    directory = mkdtempSync(join(tmpdir(), "sallyport-callback-"));
    if (engine === "Postgres") postgres = await openPostgresFixture();
    const storage = (schema: string) => {
      if (postgres !== undefined) return { url: postgres.url, schema, migrateOnStart: true };
      return engine === "memory" ? { engine } : { engine, dataDir: directory, schema };
    };
    server = await startSeededServer([storage("one"), storage("two")], callbackEnvironment, undefined, stage.content);
  }, 60_000);
  afterAll(async () => {
    await server.close();
    await postgres?.close();
    await stage.close();
    rmSync(directory, { recursive: true });
  });

  callbackSuite(
    () => server,
    () => stage,
  );
});
