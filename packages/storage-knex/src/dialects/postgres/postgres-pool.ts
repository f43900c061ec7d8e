import { setTimeout as delay } from "node:timers/promises";
import knexPkg, { type Knex } from "knex";
import pg from "pg";
import { type PooledConnectionSettings, silentLog, withDefaults } from "../../pooled-connections.ts";
import { type Probe, ServerWatch } from "../../server-watch.ts";
import { PoolExhausted } from "../../sql-errors.ts";
import { cancelOn, type Connection as SentOn, type Pooler } from "./connection.ts";
import { isOutOfReach } from "./postgres-error.ts";
import { addressOf, type HostSettings, identifyServer, type PostgresAddress, PostgresHosts } from "./postgres-hosts.ts";

const { knex: createKnex } = knexPkg;

/** The URL is `postgres://…`, see `parseAddress`; its query string overrides the other settings. */
export type PostgresSettings = PooledConnectionSettings;

export interface PostgresKnex {
  readonly knex: Knex;
  /** Ends all connections. Knex does not end a pool that was passed to it. */
  close(): Promise<void>;
  /** Destroys all connections. Statements in progress fail with 704. */
  disconnect(): void;
}

/** Creates a Knex with pooled connections to a Postgres server. Connects on first use. Throws if the URL is invalid. */
export function createPostgresKnex(settings: PostgresSettings): PostgresKnex {
  const { url, pool: limits, ...options } = withDefaults(settings);
  const pool = new PostgresPool({
    address: addressOf(url),
    max: limits.max,
    idleTimeoutMillis: limits.idleTimeout,
    connectionTimeoutMillis: limits.acquireTimeout,
    maxPendingAcquires: limits.maxPendingAcquires,
    connectTimeout: options.connectTimeout,
    application_name: options.applicationName,
    // Statements are sent without waiting for earlier answers.
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    statement_timeout: options.statementTimeout,
    silenceTimeout: options.silenceTimeout,
    idle_in_transaction_session_timeout: options.idleInTransactionTimeout,
    // JIT compilation costs more than it saves for these queries. Read committed: statements that count rows must see
    // commits they waited for, even outside an explicit transaction, independent of the database default. Behind a pooler
    // that refuses these settings, those of the role are in force; the storage checks them.
    options: "-c jit=off -c default_transaction_isolation=read\\ committed",
  });
  const knex = createKnex({ client: "pg", connectionPool: pool, log: silentLog });
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= knex.destroy().then(() => pool.destroy()));
  return { knex, close, disconnect: () => pool.disconnect() };
}

interface PostgresPoolSettings extends Omit<pg.PoolConfig, "connectionString"> {
  readonly address: PostgresAddress;
  /** Connection time-out in milliseconds. */
  readonly connectTimeout: number;
  /** Maximum number of callers that wait for a connection; further callers are refused at once. */
  readonly maxPendingAcquires: number;
  /** Milliseconds; a connection with a longer unanswered query is destroyed. */
  readonly silenceTimeout: number;
}

type Connection = pg.PoolClient & { readonly __knex__disposed?: unknown };

/** Statements of a session. Each takes memory of the server, and those of many databases share a connection. */
const maximumPrepared = 2_000;

type WatchedClient = pg.ClientBase &
  Pick<SentOn, "busySince"> &
  Required<Pick<SentOn, "connection">> & { readonly processID: number; pooler?: Pooler };

/** Milliseconds for which a caller waits while no host accepts writes. */
const failoverTime = 3_000;

/** The callback type of the driver. */
type Connected = ((error: Error) => void) | ((error: null, client: pg.Client) => void);

/**
 * The driver's pool with a bounded queue, in the shape of a Knex pool. Knex's pool costs some 5 µs more per query, and
 * during an outage it fails its waiters one by one.
 */
export class PostgresPool {
  private readonly pool: pg.Pool;
  private readonly maxPendingAcquires: number;
  private readonly clients = new Set<WatchedClient>();
  private readonly hosts: PostgresHosts;
  private readonly watch: ServerWatch;
  private readonly pooler: Pooler = { losesStatements: false };
  private releases = 0;
  /** Callers that wait for another host. */
  private searching = 0;

  constructor({ address, connectTimeout, maxPendingAcquires, silenceTimeout, ...settings }: PostgresPoolSettings) {
    const single = { ...settings, pipeline: false, connectionTimeoutMillis: connectTimeout };
    // The former host may still answer, but nothing must be written or read there any more.
    const hosts = new PostgresHosts(address, single, () => this.disconnect());
    this.hosts = hosts;
    this.pool = new pg.Pool({
      ...settings,
      Client: clientThatConnectsWithin(connectTimeout, hosts),
      verify: (client, done) => this.verify(client as unknown as WatchedClient, address.writable, done),
    } as pg.PoolConfig);
    this.maxPendingAcquires = maxPendingAcquires;
    this.watch = new ServerWatch({
      limit: silenceTimeout,
      waitingSince: () => this.waitingSince(),
      cut: (before) => this.cut(before),
      probe: () => probeOf(single, hosts, (stuck) => this.cutStuck(stuck)),
    });
    // The pool drops broken connections. Without listeners, their errors would end the process.
    this.pool.on("error", () => {});
    this.pool.on("connect", (client) => {
      client.on("error", () => {});
      const watched = client as unknown as WatchedClient & SentOn;
      watched.cancelRead = () => cancelOn(watched);
      this.clients.add(watched);
    });
    this.pool.on("remove", (client) => this.clients.delete(client as unknown as WatchedClient));
  }

  acquire(): { promise: Promise<Connection> } {
    // The pool's queue includes callers that get an idle connection in the next tick.
    const waiting = this.pool.waitingCount - this.pool.idleCount + this.searching;
    if (waiting >= this.maxPendingAcquires) return { promise: Promise.reject(tooMany()) };
    return {
      promise: this.watch.connected(
        () => this.connect(),
        (connection) => this.release(connection),
      ),
    };
  }

  release(connection: Connection): boolean {
    connection.release(connection.__knex__disposed !== undefined || this.isFull(connection));
    return true;
  }

  /** Whether the session of a connection has prepared too many statements. A look costs some microseconds, so few releases take one. */
  private isFull(lent: Connection): boolean {
    this.releases += 1;
    if (this.releases % 64 !== 0) return false;
    const { connection } = lent as unknown as { readonly connection: { readonly parsedStatements: object } };
    return Object.keys(connection.parsedStatements).length >= maximumPrepared;
  }

  /** Maximum number of connections. */
  get max(): number {
    return this.pool.options.max;
  }

  /** Open and opening connections. */
  get totalCount(): number {
    return this.pool.totalCount;
  }

  get idleCount(): number {
    return this.pool.idleCount;
  }

  /** Callers that wait for a connection. */
  get waitingCount(): number {
    return this.pool.waitingCount;
  }

  numUsed(): number {
    return this.totalCount - this.idleCount;
  }

  numFree(): number {
    return this.idleCount;
  }

  numPendingAcquires(): number {
    return this.waitingCount;
  }

  destroy(): Promise<void> {
    return this.pool.end().finally(() => this.watch.stop());
  }

  /** Destroys all connections. */
  disconnect(): void {
    for (const { connection } of this.clients) connection.stream.destroy();
  }

  private waitingSince(): number | undefined {
    let longest: number | undefined;
    for (const { busySince } of this.clients)
      if (busySince !== undefined && (longest === undefined || busySince < longest)) longest = busySince;
    return longest;
  }

  private cut(before: number): void {
    for (const { busySince, connection } of this.clients) {
      // The client's `end` would wait for the answers.
      if (busySince !== undefined && busySince < before) connection.stream.destroy();
    }
  }

  private verify(client: WatchedClient, writable: boolean, done: (error?: Error) => void): void {
    client.busySince = performance.now();
    identifyServer(client, writable, (error, isPooler) => {
      client.busySince = undefined;
      if (isPooler) client.pooler = this.pooler;
      done(error);
    });
  }

  /**
   * Without an answer from its synchronous standby, a server neither completes nor cancels a commit. A pooler does not
   * tell whose it is: any that takes as long.
   */
  private cutStuck(pids: readonly number[]): void {
    if (pids.length === 0) return;
    const since = performance.now() - stuckAfter;
    for (const { busySince = since, connection, pooler, processID } of this.clients)
      if (pooler === undefined ? pids.includes(processID) : busySince < since) connection.stream.destroy();
  }

  /**
   * Connects to the host that accepts writes. While none does, callers wait for a failover to end. A silent host can take all
   * of that time: the others are asked nevertheless.
   */
  private async connect(): Promise<Connection> {
    const deadline = performance.now() + failoverTime;
    let isLast = false;
    for (let pause = 20; ; pause = Math.min(2 * pause, 500)) {
      const { current } = this.hosts;
      try {
        return await this.pool.connect();
      } catch (error) {
        if ((error as Error).message === "timeout exceeded when trying to connect") throw tookTooLong();
        // At most once for each host.
        if (error instanceof RefusedParameter) continue;
        if (!this.hosts.areSeveral || !isOutOfReach(error) || isLast) throw error;
        isLast = performance.now() > deadline;
        if (!(await this.leave(current, isLast ? 0 : pause)) && isLast) throw error;
      }
    }
  }

  /** Looks for another host than the one that failed. Pauses and returns `false` if none accepts writes. */
  private async leave(failed: HostSettings, pause: number): Promise<boolean> {
    this.searching += 1;
    const hasAnother = this.hosts.current !== failed || (await this.hosts.find());
    if (!hasAnother) await delay(pause);
    this.searching -= 1;
    return hasAnother;
  }
}

/** Milliseconds that a client should wait at most for a commit. */
const stuckAfter = 4_000;

/** Process ids of this role's commits that wait for a standby for longer. */
const stuckCommits = `select pid from pg_stat_activity
  where wait_event = 'SyncRep' and usename = current_user and query_start < clock_timestamp() - interval '${stuckAfter} ms'`;

/** Milliseconds without an answer of the current host before all hosts are asked. */
const silence = 500;

function probeOf(settings: pg.ClientConfig, hosts: PostgresHosts, cutStuck: (pids: readonly number[]) => void): Probe {
  const client = new pg.Client(hosts.settingsOf(settings));
  client.on("error", () => {});
  const connected = client.connect();
  connected.catch(() => {});
  const closed = new AbortController();
  const answer = async () => {
    await connected;
    const { rows } = await client.query<{ pid: number }>(stuckCommits);
    cutStuck(rows.map(({ pid }) => pid));
  };
  return {
    ask: async () => {
      const answered = answer();
      if (!hosts.areSeveral) return answered;
      answered.catch(() => {});
      if (await Promise.race([answered.then(() => true), delay(silence, false)])) return undefined;
      while (!closed.signal.aborted && !(await hosts.find())) await delay(100);
      return undefined;
    },
    close: () => {
      closed.abort();
      (client as unknown as Required<Pick<SentOn, "connection">>).connection.stream.destroy();
    },
  };
}

function tooMany(): PoolExhausted {
  return new PoolExhausted("Too many requests wait for a connection.");
}

function tookTooLong(): PoolExhausted {
  return new PoolExhausted("No connection became available in time.");
}

/** A pooler refused the settings of a session. The next connection is without them. */
class RefusedParameter extends Error {}

function clientThatConnectsWithin(timeout: number, hosts: PostgresHosts): typeof pg.Client {
  return class extends pg.Client {
    private readonly settings: pg.ClientConfig;

    constructor(config: pg.ClientConfig) {
      const settings = { ...hosts.settingsOf(config), connectionTimeoutMillis: timeout };
      super(settings);
      this.settings = settings;
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: Connected): void;
    override connect(callback?: Connected): Promise<pg.Client> | undefined {
      if (callback === undefined) return super.connect();
      super.connect((error: Error | null) => {
        // The driver leaves a connection open if it refuses the log-in itself, such as without a password.
        if (error) this.end(() => {});
        const refusal = error !== null && hosts.refuses(this.settings, error) ? new RefusedParameter() : error;
        (callback as (error: Error | null, client: pg.Client) => void)(refusal, this);
      });
      return undefined;
    }
  };
}
