import pg from "pg";
import { startRealPostgres } from "../../../packages/storage-knex/test/real-postgres.ts";
import type { RunningServer } from "../src/index.ts";
import { startConfiguredServer, startDemoServer } from "./demo-server.ts";

/** A Postgres database of a test file's own, and the servers that the file starts on it. */
export interface PostgresFixture {
  readonly url: string;
  /** A connection beside those of the servers. */
  readonly sql: pg.Client;
  /** Starts the demo there. */
  demo(environment?: Record<string, string>): Promise<RunningServer>;
  /** Starts a server with this configuration file. */
  configured(content: unknown, environment?: Record<string, string>): Promise<RunningServer>;
  /** Stops the servers and drops the database. */
  close(): Promise<void>;
}

export async function openPostgresFixture(): Promise<PostgresFixture> {
  const postgres = await startRealPostgres();
  const database = await postgres.createDatabase();
  const sql = new pg.Client({ connectionString: database.url });
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
    demo: (environment) => keep(startDemoServer({ databaseUrl: database.url }, environment)),
    configured: (content, environment) => keep(startConfiguredServer(content, environment)),
    close: async () => {
      await Promise.all(servers.map((server) => server.close()));
      await sql.end();
      await database.drop();
      await postgres.stop();
    },
  };
}
