import knexPkg, { type Knex } from "knex";
import pg from "pg";
import { PostgresPool } from "./postgres-pool.ts";

const { knex: createKnex } = knexPkg;

/** Times are milliseconds. */
export interface PostgresSettings {
  /** `postgres://…`; what its query string says wins over the settings here. */
  readonly url: string;
  readonly pool: {
    /** Connections at most. */
    readonly max: number;
    /** How long an unused connection is kept; 30 s by default. */
    readonly idleTimeout?: number;
    /** How long a caller may wait for a connection. */
    readonly acquireTimeout: number;
    /** How many callers may wait at once. */
    readonly maxPendingAcquires: number;
  };
  readonly connectTimeout: number;
  /** The server cancels a statement that takes longer. */
  readonly statementTimeout: number;
  /** A connection on which a statement stays without an answer for longer is cut; 5 s after the statement time-out by default. */
  readonly silenceTimeout?: number;
  /** The server ends a transaction that stands still for longer; 30 s by default. */
  readonly idleInTransactionTimeout?: number;
  /** How the connections call themselves; `sallyport` by default. */
  readonly applicationName?: string;
}

export interface PostgresKnex {
  readonly knex: Knex;
  /** Ends all connections. Knex does not end a pool that was handed to it. */
  close(): Promise<void>;
}

/** A Knex over pooled connections to a Postgres server. Connects on first use; throws if the URL cannot be read. */
export function createPostgresKnex(settings: PostgresSettings): PostgresKnex {
  const { url, pool: limits, statementTimeout } = settings;
  assertReadable(url);
  const pool = new PostgresPool({
    connectionString: url,
    max: limits.max,
    idleTimeoutMillis: limits.idleTimeout ?? 30_000,
    connectionTimeoutMillis: limits.acquireTimeout,
    maxPendingAcquires: limits.maxPendingAcquires,
    connectTimeout: settings.connectTimeout,
    application_name: settings.applicationName ?? "sallyport",
    // Statements need not wait for the answers of those before them.
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    statement_timeout: statementTimeout,
    silenceTimeout: settings.silenceTimeout ?? statementTimeout + 5_000,
    idle_in_transaction_session_timeout: settings.idleInTransactionTimeout ?? 30_000,
    // Compiling a query costs more than any of ours takes. What counts others looks again once it has waited for them, also without a transaction
    // around it, whatever the database's own default is.
    options: "-c jit=off -c default_transaction_isolation=read\\ committed",
  });
  // Failures are told to the caller; Knex would also print them.
  const silent = { warn() {}, error() {}, deprecate() {}, debug() {} };
  const knex = createKnex({ client: "pg", connectionPool: pool, log: silent });
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= knex.destroy().then(() => pool.destroy()));
  return { knex, close };
}

function assertReadable(url: string): void {
  try {
    void new pg.Client({ connectionString: url });
  } catch {
    // The driver's error repeats the URL, password included.
    throw new Error("The URL of the database cannot be read.");
  }
}
