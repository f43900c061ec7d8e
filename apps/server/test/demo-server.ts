import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FileStore } from "@sallyport/storage";
import type { Database } from "@sallyport/core";
import { Argon2PasswordHasher, NodeDigests } from "@sallyport/crypto";
import type { Logger } from "pino";
import { seedDemo } from "../src/demo/index.ts";
import { loadConfiguration, type RunningServer, startServer } from "../src/index.ts";
import { copyEmbeddedDemo } from "./copy-embedded-demo.ts";
import { testEnvironment, tuningOf } from "./test-environment.ts";

export type Engine = { readonly databaseUrl: string } | "embedded" | "memory";

/** Starts the demo in this process: on a Postgres, on the embedded engine in its own directory, or in memory. */
export async function startDemoServer(
  engine: Engine,
  environment: Readonly<Record<string, string>> = {},
  logger?: Logger,
): Promise<RunningServer> {
  if (engine === "memory") return startSeededServer([{ engine: "memory" }, { engine: "memory" }], environment, logger);
  const directory = mkdtempSync(join(tmpdir(), "sallyport-"));
  if (engine === "embedded") await copyEmbeddedDemo(directory);
  const storage = { DATA_DIR: directory, ...(engine === "embedded" ? {} : { DATABASE_URL: engine.databaseUrl }) };
  return withCleanUp(
    directory,
    await startServer(
      loadConfiguration({ environment: { ...testEnvironment, ...storage, ...environment } }),
      logger,
      undefined,
      undefined,
      tuningOf(environment),
    ),
  );
}

/** Starts a server with a configuration file of this content. */
export async function startConfiguredServer(
  content: unknown,
  environment: Readonly<Record<string, string>> = {},
  logger?: Logger,
): Promise<RunningServer> {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-"));
  const file = join(directory, "sallyport.config.json");
  writeFileSync(file, JSON.stringify(content));
  return withCleanUp(
    directory,
    await startServer(
      loadConfiguration({ file, environment: { ...testEnvironment, ...environment } }),
      logger,
      undefined,
      undefined,
      tuningOf(environment),
    ),
  );
}

/**
 * Starts a server with the demo's databases on storages that a server does not seed by itself. `more`: additional
 * configuration.
 */
export async function startSeededServer(
  storages: readonly [object, object],
  environment: Readonly<Record<string, string>> = {},
  logger?: Logger,
  more: object = {},
): Promise<RunningServer> {
  const databases = [
    { alias: "", name: "demo", storage: storages[0] },
    { alias: "second", name: "second", storage: storages[1] },
  ];
  const server = await startConfiguredServer({ ...more, databases }, environment, logger);
  const hasher = await Argon2PasswordHasher.create({ memoryCost: 8, timeCost: 1 });
  const parts = { hasher, digests: new NodeDigests(), clientHash: "md5" } as const;
  for (const [alias, database] of server.databases) {
    if (database !== null) await seedDemo(database.storage, { ...parts, alias, files: database.files });
  }
  return server;
}

/** The store of files of a database. */
export function filesOf({ databases }: RunningServer, alias: string): FileStore {
  return (databases.get(alias) as Database).files;
}

function withCleanUp(directory: string, server: RunningServer): RunningServer {
  const close = async () => {
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  };
  return { ...server, close };
}
