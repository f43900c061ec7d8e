import knexPkg, { type Knex } from "knex";
import pg from "pg";
import { type PooledConnectionSettings, silentLog, withDefaults } from "../../pooled-connections.ts";
import { PostgresPool } from "./postgres-pool.ts";

const { knex: createKnex } = knexPkg;

/** The URL is `postgres://…`; its query string overrides the other settings. */
export type PostgresSettings = PooledConnectionSettings;

export interface PostgresKnex {
  readonly knex: Knex;
  /** Ends all connections. Knex does not end a pool that was passed to it. */
  close(): Promise<void>;
}

/** Creates a Knex with pooled connections to a Postgres server. Connects on first use. Throws if the URL is invalid. */
export function createPostgresKnex(settings: PostgresSettings): PostgresKnex {
  const { url, pool: limits, ...given } = withDefaults(settings);
  assertReadable(url);
  const pool = new PostgresPool({
    connectionString: url,
    max: limits.max,
    idleTimeoutMillis: limits.idleTimeout,
    connectionTimeoutMillis: limits.acquireTimeout,
    maxPendingAcquires: limits.maxPendingAcquires,
    connectTimeout: given.connectTimeout,
    application_name: given.applicationName,
    // Statements are sent without waiting for earlier answers.
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    statement_timeout: given.statementTimeout,
    silenceTimeout: given.silenceTimeout,
    idle_in_transaction_session_timeout: given.idleInTransactionTimeout,
    // JIT compilation costs more than it saves for these queries. Read committed: statements that count rows must see
    // commits they waited for, even outside an explicit transaction, independent of the database default.
    options: "-c jit=off -c default_transaction_isolation=read\\ committed",
  });
  const knex = createKnex({ client: "pg", connectionPool: pool, log: silentLog });
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= knex.destroy().then(() => pool.destroy()));
  return { knex, close };
}

function assertReadable(url: string): void {
  try {
    void new pg.Client({ connectionString: url });
  } catch {
    // The driver's error repeats the URL, password included.
    throw new Error("The database URL is invalid.");
  }
}
