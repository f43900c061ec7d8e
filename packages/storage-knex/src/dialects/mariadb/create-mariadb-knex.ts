import knexPkg, { type Knex } from "knex";
import { type MariadbClientConfiguration, MariadbKnexClient } from "./mariadb-knex-client.ts";
import { serverOf } from "./mariadb-server.ts";
import { sessionSettings } from "./session-settings.ts";

const { knex: createKnex } = knexPkg;

/** Times are milliseconds. */
export interface MariadbSettings {
  /** `mariadb://…` or `mysql://…`, see `serverOf`. */
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

export interface MariadbKnex {
  readonly knex: Knex;
  /** Ends all connections. */
  close(): Promise<void>;
}

/**
 * A Knex over pooled connections to a MariaDB server. Connects on first use; throws if the URL cannot be read, and if the
 * driver, mysql2, is not installed.
 */
export async function createMariadbKnex(settings: MariadbSettings): Promise<MariadbKnex> {
  const { url, pool, statementTimeout } = settings;
  const server = serverOf(url);
  const client: MariadbClientConfiguration = { driver: await mysql2(), maxPendingAcquires: pool.maxPendingAcquires };
  const silence = settings.silenceTimeout ?? statementTimeout + 5_000;
  const greeting = sessionSettings({ statementTimeout, idleInTransactionTimeout: settings.idleInTransactionTimeout ?? 30_000 });
  const knex = createKnex({
    ...client,
    client: MariadbKnexClient,
    // Asking the server for it would take a trip more.
    version: "10.6",
    connection: {
      ...server,
      connectTimeout: settings.connectTimeout,
      connectAttributes: { program_name: settings.applicationName ?? "sallyport" },
      charset: "utf8mb4",
      // A statement that somebody got in would come with the next one of his.
      multipleStatements: false,
      // A server keeps some 16,000 for all connections together; there are fewer than this for one database.
      maxPreparedStatements: 200,
      supportBigNumbers: true,
      dateStrings: true,
      jsonStrings: true,
      enableKeepAlive: true,
      keepAliveInitialDelay: 10_000,
    } as Knex.MySql2ConnectionConfig,
    pool: {
      min: 0,
      max: pool.max,
      idleTimeoutMillis: pool.idleTimeout ?? 30_000,
      acquireTimeoutMillis: pool.acquireTimeout,
      createTimeoutMillis: settings.connectTimeout + silence,
      // While there is no database, those who wait are told one after the other.
      createRetryIntervalMillis: 1,
      afterCreate: (connection: Greeted, done: (error: Error | null) => void) => {
        connection.silence = silence;
        connection.query({ sql: greeting, timeout: silence }, (error) => done(error));
      },
    },
    // Failures are told to the caller; Knex would also print them.
    log: { warn() {}, error() {}, deprecate() {}, debug() {} },
  } as Knex.Config);
  let closed: Promise<void> | undefined;
  return { knex, close: () => (closed ??= knex.destroy()) };
}

interface Greeted {
  silence?: number;
  query(options: object, callback: (error: Error | null) => void): void;
}

async function mysql2(): Promise<unknown> {
  try {
    return (await import("mysql2")).default;
  } catch (error) {
    throw new Error("MariaDB needs the package mysql2 beside this one: npm install mysql2", { cause: error });
  }
}
