import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunningServer } from "../../src/index.ts";
import { startSeededServer } from "../demo-server.ts";
import { Mailbox } from "../mailbox.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";
import { linkMailSuite } from "./link-mail-suite.ts";
import { openProviderStage, type ProviderStage, stageEnvironment } from "./provider-stage.ts";

describe.each(["memory", "embedded", "postgres"] as const)("mail of new links, %s", (engine) => {
  const mailbox = new Mailbox();
  let stage: ProviderStage;
  let server: RunningServer;
  let directory: string;
  let postgres: PostgresFixture | undefined;
  beforeAll(async () => {
    stage = await openProviderStage();
    await mailbox.open();
    directory = mkdtempSync(join(tmpdir(), "sallyport-providers-"));
    postgres = engine === "postgres" ? await openPostgresFixture() : undefined;
    const storage = (schema: string) => {
      if (engine === "memory") return { engine };
      return engine === "embedded"
        ? { engine, dataDir: directory, schema }
        : { url: postgres?.url, schema, migrateOnStart: true };
    };
    server = await startSeededServer(
      [storage("one"), storage("two")],
      { ...stageEnvironment, ...mailbox.environment },
      undefined,
      stage.content,
    );
  }, 60_000);
  afterAll(async () => {
    await server.close();
    await Promise.all([mailbox.close(), stage.close(), postgres?.close()]);
    rmSync(directory, { recursive: true });
  });

  linkMailSuite(
    () => server,
    () => stage,
    () => mailbox,
  );
});
