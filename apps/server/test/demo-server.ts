import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfiguration, type RunningServer, startServer } from "../src/index.ts";

/** Cheap hashing, silence and any free port: what every server under test has in common. */
export const testEnvironment: Readonly<Record<string, string>> = {
  PORT: "0",
  LOG_LEVEL: "silent",
  ARGON2_MEMORY_COST: "8",
  ARGON2_TIME_COST: "1",
};

export type Engine = { readonly databaseUrl: string } | "embedded";

/** Starts the demo in this process, on a Postgres or on the embedded engine in a directory of its own. */
export async function startDemoServer(engine: Engine, environment: Record<string, string> = {}): Promise<RunningServer> {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-"));
  const storage = { DATA_DIR: directory, ...(engine === "embedded" ? {} : { DATABASE_URL: engine.databaseUrl }) };
  return withCleanUp(directory, await startServer(loadConfiguration({ environment: { ...testEnvironment, ...storage, ...environment } })));
}

/** Starts a server with a configuration file of this content. */
export async function startConfiguredServer(content: unknown, environment: Record<string, string> = {}): Promise<RunningServer> {
  const directory = mkdtempSync(join(tmpdir(), "sallyport-"));
  const file = join(directory, "sallyport.config.json");
  writeFileSync(file, JSON.stringify(content));
  return withCleanUp(directory, await startServer(loadConfiguration({ file, environment: { ...testEnvironment, ...environment } })));
}

function withCleanUp(directory: string, server: RunningServer): RunningServer {
  const close = async () => {
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  };
  return { ...server, close };
}
