import { randomBytes } from "node:crypto";
import pg from "pg";
import { createPostgresKnex, KnexStorage, type KnexStorageOptions, type PostgresKnex, type PostgresSettings } from "../src/index.ts";

/** A database of its own for a test file, and what the tests open in it. */
export interface TestDatabase {
  readonly url: string;
  /** A connection that is not one of the pool's. */
  readonly admin: pg.Client;
  connect(settings?: Partial<Omit<PostgresSettings, "pool">> & { pool?: Partial<PostgresSettings["pool"]> }): PostgresKnex;
  storage(options?: Partial<KnexStorageOptions>): KnexStorage;
  drop(): Promise<void>;
}

export async function openTestDatabase(): Promise<TestDatabase> {
  const serverUrl = process.env["DATABASE_URL"] ?? "postgres://postgres@127.0.0.1:5432/postgres";
  const name = `test_${randomBytes(6).toString("hex")}`;
  const server = new pg.Client({ connectionString: serverUrl });
  await server.connect();
  await server.query(`create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = name;
  const admin = new pg.Client({ connectionString: url.href });
  admin.on("error", () => {});
  await admin.connect();
  const opened: PostgresKnex[] = [];
  let shared: PostgresKnex | undefined;

  const connect: TestDatabase["connect"] = ({ pool, ...settings } = {}) => {
    const engine = createPostgresKnex({
      url: url.href,
      connectTimeout: 5_000,
      statementTimeout: 10_000,
      ...settings,
      pool: { max: 8, acquireTimeout: 5_000, maxPendingAcquires: 100, ...pool },
    });
    opened.push(engine);
    return engine;
  };
  return {
    url: url.href,
    admin,
    connect,
    storage: (options) => new KnexStorage({ knex: (shared ??= connect()).knex, schema: "test", ...options }),
    drop: async () => {
      await Promise.all(opened.map((engine) => engine.close()));
      await admin.end();
      await server.query(`drop database ${name} with (force)`);
      await server.end();
    },
  };
}
