import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openRealMariadb } from "@sallyport/test-kit/databases/mariadb";
import type { RunningServer } from "../src/index.ts";
import { startConfiguredServer } from "./demo-server.ts";
import type { Engine } from "./engines.ts";
import { openPostgresFixture } from "./postgres-fixture.ts";

interface EmptyDatabasesOptions {
  readonly aliases: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** The number of servers; if the engine allows only one, it fills all positions. */
  readonly count?: number;
}

/** Servers on the same databases, which have no users. */
export interface EmptyDatabases {
  readonly servers: readonly RunningServer[];
  close(): Promise<void>;
}

/** Starts servers with new databases on an engine of this kind. */
export async function startEmptyOn(
  engine: Engine,
  { aliases, environment = {}, count = 1 }: EmptyDatabasesOptions,
): Promise<EmptyDatabases> {
  const places = await placesOn(engine, aliases.length);
  const databases = aliases.map((alias, index) => ({
    alias,
    name: alias === "" ? "first" : alias,
    storage: places.storages[index],
  }));
  const first = await startConfiguredServer({ databases }, environment);
  const servers = [first];
  for (let started = 1; started < count; started += 1)
    servers.push(places.severalServers ? await startConfiguredServer({ databases }, environment) : first);
  return {
    servers,
    close: async () => {
      for (const server of new Set(servers)) await server.close();
      await places.close();
    },
  };
}

interface Places {
  readonly storages: readonly object[];
  readonly severalServers: boolean;
  close(): Promise<void>;
}

async function placesOn(engine: Engine, count: number): Promise<Places> {
  const storages = (of: (index: number) => object): object[] => Array.from({ length: count }, (_, index) => of(index));
  if (engine === "memory")
    return { storages: storages(() => ({ engine })), severalServers: false, close: async () => {} };
  if (engine === "embedded") {
    const dataDir = mkdtempSync(join(tmpdir(), "sallyport-"));
    return {
      storages: storages((index) => ({ engine, dataDir, schema: `empty_${index}` })),
      severalServers: false,
      close: async () => rmSync(dataDir, { recursive: true }),
    };
  }
  if (engine === "MariaDB") {
    const mariadb = await openRealMariadb();
    const of = () => ({ url: mariadb.url, schema: mariadb.freshName(), migrateOnStart: true });
    return { storages: storages(of), severalServers: true, close: () => mariadb.close() };
  }
  const postgres = await openPostgresFixture({ empty: true });
  const of = (index: number) => ({ url: postgres.url, schema: `empty_${index}`, migrateOnStart: true });
  return { storages: storages(of), severalServers: true, close: () => postgres.close() };
}
