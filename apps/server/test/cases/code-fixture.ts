import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Repositories, Storage } from "@sallyport/storage";
import { Argon2PasswordHasher, NodeDigests } from "@sallyport/crypto";
import { FaultScript } from "@sallyport/testing/faults";
import { LicenceReceiver } from "@sallyport/testing/traps";
import { seedDemo } from "../../src/demo/index.ts";
import { loadConfiguration, type RunningServer, startServer } from "../../src/index.ts";
import { FaultyEngines } from "../faults/faulty-engines.ts";
import {
  openProviderFixture,
  type ProviderFixture,
  register,
  providerEnvironment,
} from "../providers/provider-fixture.ts";
import { filesOf } from "../demo-server.ts";
import { testEnvironment, tuningOf } from "../test-environment.ts";
import { macroEnvironment } from "../macro-fixture.ts";

/** Live sessions in a database: more than the cases open in the first one. */
const sessionLimit = 60;

/**
 * A server for prepared cases: the demo on storages with scripted faults, a database without storage settings as
 * `unconfigured`, macros, a fake provider, a licence server whose messages are required, and no mail.
 */
export interface CodeFixture {
  readonly server: RunningServer;
  readonly script: FaultScript;
  /** Of the first database, without the faults. */
  readonly repositories: Repositories;
  readonly providers: ProviderFixture;
  readonly licences: LicenceReceiver;
  /** The folder with the files of the first database. */
  readonly filesDirectory: string;
  close(): Promise<void>;
}

export async function openCodeFixture(): Promise<CodeFixture> {
  const providers = await openProviderFixture();
  const licences = await LicenceReceiver.open();
  const folder = mkdtempSync(join(tmpdir(), "sallyport-files-"));
  const script = new FaultScript();
  const engines = new FaultyEngines(script);
  const storage = { engine: "memory" };
  const databases = [{ alias: "", storage }, { alias: "second", storage }, { alias: "unconfigured" }];
  const environment = {
    ...testEnvironment,
    ...providerEnvironment,
    ...macroEnvironment,
    ...licences.environment,
    LICENCES_STATISTICS_REQUIRED: "true",
    FILES_DIRECTORY: folder,
    FILES_ENCRYPT: "true",
    SESSION_LIMIT: `${sessionLimit}`,
  };
  const content = { ...providers.content, databases };
  const server = await startServer(
    loadConfiguration({ content, environment }),
    undefined,
    engines,
    undefined,
    tuningOf(environment),
  );
  const hasher = await Argon2PasswordHasher.create({ memoryCost: 8, timeCost: 1 });
  const [first, second] = engines.sound as [Storage, Storage];
  const parts = { hasher, digests: new NodeDigests(), clientHash: "md5" } as const;
  await seedDemo(first, { ...parts, alias: "", files: filesOf(server, "") });
  await seedDemo(second, { ...parts, alias: "second", files: filesOf(server, "second") });
  await register(providers, server, "google");
  return {
    server,
    script,
    repositories: first.repositories,
    providers,
    licences,
    filesDirectory: join(folder, "_default"),
    close: async () => {
      await server.close();
      rmSync(folder, { recursive: true });
      await providers.close();
      await licences.close();
    },
  };
}
