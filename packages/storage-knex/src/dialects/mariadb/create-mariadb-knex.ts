import type { Socket } from "node:net";
import knexPkg, { type Knex } from "knex";
import Mysql2Client from "knex/lib/dialects/mysql2/index.js";
import type { Connection, ConnectionOptions, SslOptions } from "mysql2";
import { type PooledConnectionSettings, silentLog, withDefaults } from "../../pooled-connections.ts";
import { parseAddress, type ServerTls, tlsOf } from "../server-address.ts";
import { PoolExhausted } from "../../sql-errors.ts";
import { type Probe, ServerWatch } from "../../server-watch.ts";
import { AwaitedAnswers, type Canceller, cancelOn, type Connection as SentOn } from "./connection.ts";
import { connectionError } from "./mariadb-error.ts";

const { knex: createKnex } = knexPkg;

/** The URL is `mariadb://…` or `mysql://…`, see `parseAddress`. */
export type MariadbSettings = PooledConnectionSettings;

export interface MariadbKnex {
  readonly knex: Knex;
  /** Ends all connections. */
  close(): Promise<void>;
}

/**
 * Creates a Knex with pooled connections to a MariaDB server. Connects on first use. Throws if the URL is invalid or
 * the driver, mysql2, is not installed.
 */
export async function createMariadbKnex(settings: MariadbSettings): Promise<MariadbKnex> {
  const { url, pool, connectTimeout, silenceTimeout, ...options } = withDefaults(settings);
  const server = serverOf(url);
  const driver = await mysql2();
  const prepare = preparation(sessionSettings(options));
  const answers = new AwaitedAnswers();
  /** A connection outside the pool. */
  const beside = (): Connection => {
    const connection = driver.createConnection({ ...server, connectTimeout });
    connection.on("error", () => {});
    return connection;
  };
  const watch = new ServerWatch({
    limit: silenceTimeout,
    waitingSince: () => answers.waitingSince,
    cut: (before) => answers.cut(before),
    probe: () => probeOf(beside()),
  });
  const client: MariadbClientConfiguration = { driver, watch, maxPendingAcquires: pool.maxPendingAcquires };
  const knex = createKnex({
    ...client,
    client: MariadbKnexClient,
    // Saves the round trip that detects the version.
    version: "10.6",
    connection: {
      ...server,
      connectTimeout,
      connectAttributes: { program_name: options.applicationName },
      charset: "utf8mb4",
      // Limits SQL injection to one statement.
      multipleStatements: false,
      // A server keeps some 16,000 for all connections together. One database needs fewer than this.
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
      idleTimeoutMillis: pool.idleTimeout,
      acquireTimeoutMillis: pool.acquireTimeout,
      createTimeoutMillis: connectTimeout + silenceTimeout,
      // During an outage, waiting callers fail one after the other.
      createRetryIntervalMillis: 1,
      afterCreate: (connection: NewConnection, done: (error: Error | null) => void) => {
        connection.answers = answers;
        connection.cancelRead = () => cancelOn(connection, () => beside() as unknown as Canceller);
        const query: Ask = (sql, answered) => connection.query({ sql, timeout: silenceTimeout }, answered);
        prepare(query, (error, isClustered) => {
          connection.isClustered = isClustered;
          done(error);
        });
      },
    },
    log: silentLog,
  } as Knex.Config);
  let closed: Promise<void> | undefined;
  return { knex, close: () => (closed ??= knex.destroy().finally(() => watch.stop())) };
}

interface MariadbServer {
  readonly host?: string;
  readonly port?: number;
  readonly socketPath?: string;
  readonly user: string;
  readonly password: string;
  readonly ssl?: SslOptions;
}

/** The server's address and credentials as the driver expects. The connection ignores the database. */
export function serverOf(url: string): MariadbServer {
  const address = parseAddress(url);
  const { hosts, user, password } = address;
  const tls = tlsOf(address);
  const [{ host, port }] = hosts;
  return {
    ...(host.startsWith("/") ? { socketPath: host } : { host, port }),
    user,
    password,
    ...(tls === undefined ? {} : { ssl: driverTls(tls) }),
  };
}

function driverTls({ verifiesAuthority, verifiesHost, ...files }: ServerTls): SslOptions {
  return { rejectUnauthorized: verifiesAuthority, verifyIdentity: verifiesHost, ...files };
}

interface Driver {
  createConnection(options: ConnectionOptions): Connection;
}

interface NewConnection extends Omit<SentOn, "query"> {
  query(options: object, callback: Answered): void;
}

type Answered = (error: Error | null, rows?: unknown) => void;
type Ask = (sql: string, answered: Answered) => void;

/**
 * Prepares the connections of a pool. The first one also asks whether the server is a node of a cluster; some builds do
 * not know the variable. A node answers a statement or transaction when it has applied what the cluster committed
 * before: reads, and writes of any kind.
 */
function preparation(settings: string) {
  let isClustered: boolean | undefined;
  return (ask: Ask, prepared: (error: Error | null, isClustered: boolean) => void): void => {
    const set = (clustered: boolean) =>
      ask(clustered ? `${settings}, wsrep_sync_wait = 7` : settings, (error) => prepared(error, clustered));
    if (isClustered !== undefined) return set(isClustered);
    ask("show variables like 'wsrep_on'", (error, rows) => {
      if (error !== null) return prepared(error, false);
      isClustered = (rows as { Value: string }[])[0]?.Value === "ON";
      set(isClustered);
    });
  };
}

function probeOf(connection: Connection): Probe {
  return { ask: () => connection.promise().query("select 1"), close: () => connection.destroy() };
}

async function mysql2(): Promise<Driver> {
  try {
    return (await import("mysql2")).default as unknown as Driver;
  } catch (error) {
    throw new Error(
      'MariaDB requires the package mysql2. Install it beside the server: "npm install mysql2", or "npm install --global mysql2" for a server that is installed globally.',
      { cause: error },
    );
  }
}

interface Limits {
  /** Milliseconds. */
  readonly statementTimeout: number;
  /** Milliseconds. */
  readonly idleInTransactionTimeout: number;
}

/**
 * The session settings of every connection, independent of server defaults: binary text comparison, UTC, strict mode
 * and read committed.
 */
export function sessionSettings({ statementTimeout, idleInTransactionTimeout }: Limits): string {
  const seconds = Math.ceil(statementTimeout / 1_000);
  return `set names utf8mb4 collate utf8mb4_nopad_bin, time_zone = '+00:00', autocommit = 1,
    sql_mode = 'STRICT_ALL_TABLES,STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO,NO_ZERO_DATE,NO_ZERO_IN_DATE',
    tx_isolation = 'READ-COMMITTED', foreign_key_checks = 1, unique_checks = 1, group_concat_max_len = 1073741824,
    max_statement_time = ${statementTimeout / 1_000}, innodb_lock_wait_timeout = ${seconds + 1}, lock_wait_timeout = ${seconds + 1},
    idle_transaction_timeout = ${Math.ceil(idleInTransactionTimeout / 1_000)}`;
}

/** The parts of Knex's pool that this client reads. */
interface Pool {
  numFree(): number;
  numPendingAcquires(): number;
  numPendingCreates(): number;
}

/**
 * The transactions of a pool. Writers wait for one another with a connection each, so transactions leave a quarter of the
 * pool to reads. Others wait in order; 607 for those that wait too long, or are too many.
 */
export class TransactionPlaces {
  private static readonly ofPools = new WeakMap<object, TransactionPlaces>();
  private taken = 0;
  private readonly waiting = new Set<() => void>();
  private readonly most: number;
  private readonly acquireTimeout: number;
  private readonly maxWaiting: number;

  private constructor({ pool, maxPendingAcquires }: PoolLimits) {
    this.most = pool.max - Math.floor(pool.max / 4);
    this.acquireTimeout = pool.acquireTimeoutMillis;
    this.maxWaiting = maxPendingAcquires;
  }

  static of(knex: Knex): TransactionPlaces {
    const { config } = knex.client as { readonly config: PoolLimits };
    const places = TransactionPlaces.ofPools.get(config) ?? new TransactionPlaces(config);
    TransactionPlaces.ofPools.set(config, places);
    return places;
  }

  /** Resolves with a place; `leave` must follow. */
  async enter(): Promise<void> {
    if (this.taken < this.most) this.taken += 1;
    else await this.next();
  }

  /** Resolves when another transaction hands its place over. */
  private next(): Promise<void> {
    if (this.waiting.size >= this.maxWaiting)
      return Promise.reject(connectionError(new PoolExhausted("Too many transactions wait for a connection.")));
    return new Promise((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.waiting.delete(enter);
        reject(connectionError(new PoolExhausted("No connection became free for a transaction.")));
      }, this.acquireTimeout);
      this.waiting.add(enter);
    });
  }

  leave(): void {
    const [first] = this.waiting;
    if (first === undefined) this.taken -= 1;
    else {
      this.waiting.delete(first);
      first();
    }
  }
}

interface PoolLimits {
  readonly pool: { readonly max: number; readonly acquireTimeoutMillis: number };
  readonly maxPendingAcquires: number;
}

/** The configuration of this client, in addition to that of Knex. */
export interface MariadbClientConfiguration {
  readonly driver: unknown;
  readonly watch: ServerWatch;
  /** Maximum number of callers that wait for a connection; further callers are refused at once. */
  readonly maxPendingAcquires: number;
}

/** Knex's client for mysql2, with a bounded queue before its pool. */
export class MariadbKnexClient extends Mysql2Client {
  override _driver(): unknown {
    return this.configuration.driver;
  }

  override async acquireConnection(): Promise<unknown> {
    if (this.waiting >= this.configuration.maxPendingAcquires)
      throw new PoolExhausted("Too many requests wait for a connection.");
    return this.configuration.watch.connected(
      () => super.acquireConnection(),
      (connection) => void this.releaseConnection(connection),
    );
  }

  /** Destroys an untrusted connection without a quit command. */
  override async destroyRawConnection(connection: {
    readonly __knex__disposed?: unknown;
    readonly stream: Socket;
  }): Promise<void> {
    if (connection.__knex__disposed === undefined) await super.destroyRawConnection(connection);
    else connection.stream.destroy();
  }

  /** Waiting callers without a free or opening connection. */
  private get waiting(): number {
    const pool = this.pool as Pool | undefined;
    return pool === undefined ? 0 : pool.numPendingAcquires() - pool.numPendingCreates() - pool.numFree();
  }

  private get configuration(): MariadbClientConfiguration {
    return this.config as unknown as MariadbClientConfiguration;
  }
}
