import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { joinEmbeddedEngine } from "@sallyport/storage-pglite";
import { isFullRun } from "@sallyport/test-kit/scope";
import { openRealMariadb } from "@sallyport/test-kit/databases/mariadb";
import type { RunningServer } from "../../src/index.ts";
import { buildIndexes } from "../build-indexes.ts";
import { copyEmbeddedDemo } from "../copy-embedded-demo.ts";
import { startConfiguredServer, startSeededServer } from "../demo-server.ts";
import { type Engine, engines } from "../engines.ts";
import { openPostgresFixture } from "../postgres-fixture.ts";

/** A server with the demo on an engine, and a way past it. */
export interface DamagedDatabase {
  readonly server: RunningServer;
  /** Executes a statement. Triggers and foreign keys, which would refuse or repair the damage, are off. */
  readonly sql: (statement: string) => Promise<unknown>;
  close(): Promise<void>;
}

/** The engines with statements of SQL. The embedded engine has those of Postgres, so only the full run tries both. */
export const sqlEngines = engines.filter((engine) => engine !== "memory" && (isFullRun || engine !== "embedded"));

const schema = "sallyport_demo";

/** A statement on Postgres, on a connection that others use afterwards. */
const damaging = (statement: string) =>
  `begin; set local search_path to ${schema}; set local session_replication_role = replica; ${statement}; commit`;

export async function openDamagedDatabase(engine: Engine): Promise<DamagedDatabase> {
  if (engine === "Postgres") {
    const { demo, sql, close } = await openPostgresFixture();
    return { server: await demo(environment), sql: (statement) => sql.query(damaging(statement)), close };
  }
  if (engine === "embedded") {
    const dataDir = mkdtempSync(join(tmpdir(), "sallyport-"));
    await copyEmbeddedDemo(dataDir);
    const databases = [{ alias: "", name: "demo", storage: { engine, dataDir, schema } }];
    const server = await startConfiguredServer({ databases }, environment);
    const sql = async (statement: string) => {
      const joined = await joinEmbeddedEngine({ dataDir });
      if (joined === undefined) throw new Error("The server does not share its directory.");
      await joined.knex.raw(damaging(statement)).finally(joined.close);
    };
    const close = async () => {
      await server.close();
      rmSync(dataDir, { recursive: true });
    };
    return { server, sql, close };
  }
  const mariadb = await openRealMariadb();
  const storage = () => ({ url: mariadb.url, schema: mariadb.freshName(), migrateOnStart: true });
  const [one, two] = [storage(), storage()];
  const server = await startSeededServer([one, two], environment);
  await buildIndexes(server);
  await mariadb.admin.query(`use ${one.schema}; set foreign_key_checks = 0`);
  const close = async () => {
    await server.close();
    await mariadb.close();
  };
  return { server, sql: (statement) => mariadb.admin.query(statement), close };
}

/** Tests log in often, and change what the server does in the background. */
const environment = {
  MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
  THROTTLE_IP_MAX_FAILURES: "1000000",
};
