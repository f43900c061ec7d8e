import type { ReadPosition } from "@sallyport/storage";
import type { Knex } from "knex";
import pg from "pg";
import { hostText } from "../server-address.ts";
import { addressOf } from "./postgres-hosts.ts";
import type { PooledConnectionSettings } from "../../pooled-connections.ts";
import { type SqlResult, statement } from "../../sql-runner.ts";
import type { ReplicaState } from "../../sql-storage.ts";
import { acquire, type Connection, type Query, release, runOn, withConnection } from "./connection.ts";
import { isStatementTimeout } from "./postgres-error.ts";
import { createPostgresKnex, type PostgresKnex } from "./postgres-pool.ts";

/** Numbers of the reads that could use a replica, by outcome. The primary answered all but the `served` ones. */
export interface ReplicaReads {
  served: number;
  /** No replica had reached the state of the admission in time. */
  behind: number;
  /** The replica failed or cancelled the read. */
  failed: number;
  /** All replicas were left out. */
  unavailable: number;
}

export interface ReplicasOptions extends Omit<PooledConnectionSettings, "url"> {
  readonly primary: Knex;
  /** `postgres://…` of one host each. */
  readonly urls: readonly string[];
  /** Called when a replica is left out, and when it takes reads (again). */
  readonly onChange?: (state: ReplicaState) => void;
}

/** A place in the write-ahead log of the primary. */
interface LogPosition {
  /** The identifier of the server's system. */
  readonly system: string;
  readonly timeline: number;
  readonly bytes: number;
}

/** Milliseconds between two checks of a replica, and for its answer. */
const checkInterval = 500;
const answerTime = 1_000;
/** Milliseconds after a replica did not catch up, before a read tries it again. Doubled for each further one. */
const pauses = { first: 25, longest: 1_000 };

const replayed = "coalesce(case when pg_is_in_recovery() then pg_last_wal_replay_lsn() - '0/0' end, -1)";

/**
 * Gives the replayed bytes. 1 bytes to wait for, 45 ms at most. A transaction is visible on a replica once the log is
 * replayed up to its end.
 */
const waitForReplay = statement(
  "wait_for_replay",
  `with recursive looked (count, bytes) as (
    select 0, ${replayed}
    union all
    select count + 1, ${replayed} from looked, lateral pg_sleep(0.001 * (count + 1)) where bytes < $1::numeric and count < 9
  ) select bytes from looked order by count desc limit 1`,
);

/**
 * The position of the primary, as text. All transactions that the statement sees were committed before it. Without
 * `synchronous_commit`, a commit is visible before it is flushed.
 */
export const currentPosition = `(select system_identifier || '/' || left(pg_walfile_name(lsn), 8) || '/' || lsn from pg_control_system(), (
    select case current_setting('synchronous_commit') when 'off' then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end as lsn
  ) l where not pg_is_in_recovery())`;

/** Physical copies of a database have the same system and the same number. */
const identity = `(select system_identifier from pg_control_system())::text as system, (select oid from pg_database where datname = current_database()) as database`;

/** The control file names a new timeline with the first pages written after it. */
const checkQuery = `select ${replayed} as bytes, ${identity}, pg_is_in_recovery() as standby,
  greatest((select timeline_id from pg_control_checkpoint()), (select min_recovery_end_timeline from pg_control_recovery())) as timeline`;

interface Identity {
  readonly system: string;
  readonly database: number;
}

interface CheckRow extends Identity {
  readonly bytes: string;
  readonly standby: boolean;
  readonly timeline: number;
}

const unknown: LogPosition = { system: "", timeline: 0, bytes: 0 };

/**
 * Standbys that take reads of a primary. Reads begin at the state of an admission, so that a request sees what it would
 * see on the primary. Standbys that fail, lag, or belong to another cluster take no reads until a check finds them well.
 */
export class PostgresReplicas {
  readonly reads: ReplicaReads = { served: 0, behind: 0, failed: 0, unavailable: 0 };
  private readonly replicas: readonly Replica[];
  private primary: Promise<Identity> | undefined;
  private latest = unknown;
  private turn = 0;

  /** Connects on first use. Throws if a URL is invalid. */
  constructor({ urls, primary, onChange = () => {}, ...settings }: ReplicasOptions) {
    const primaryIdentity = () => (this.primary ??= this.identityOf(primary));
    const latest = () => this.latest;
    this.replicas = urls.map((url) => new Replica({ ...settings, url }, { primaryIdentity, latest, onChange }));
  }

  /** The position of an admission; `undefined` if its server was not a primary. */
  position(text: string | null): ReadPosition | undefined {
    if (text === null) return undefined;
    const [system = "", ...numbers] = text.split("/");
    const [timeline = 0, high = 0, low = 0] = numbers.map((part) => Number.parseInt(part, 16));
    const position = { system, timeline, bytes: high * 2 ** 32 + low };
    if (system !== this.latest.system) this.primary = undefined;
    // Another primary can also have an earlier timeline, after a recovery to a point in time.
    if (!isSameLog(this.latest, position) || this.latest.bytes < position.bytes) this.latest = position;
    for (const replica of this.replicas) replica.start();
    return new PositionedReads(this, position);
  }

  get states(): readonly ReplicaState[] {
    return this.replicas.map(({ state }) => state);
  }

  /** The states after a check of all replicas. */
  async examine(): Promise<readonly ReplicaState[]> {
    await Promise.all(this.replicas.map((replica) => replica.check()));
    return this.states;
  }

  async close(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.close()));
  }

  /** The replica with the fewest reads in progress that can have reached the position. */
  choose(position: LogPosition): Replica | keyof ReplicaReads {
    const working = this.replicas.filter((replica) => replica.isOn(position));
    if (working.length === 0) return "unavailable";
    this.turn += 1;
    const [first, ...others] = working
      .map((_, index) => working[(index + this.turn) % working.length] as Replica)
      .filter((replica) => replica.mayHaveReached(position));
    if (first === undefined) return "behind";
    return others.reduce((best, each) => (each.reading < best.reading ? each : best), first);
  }

  private async identityOf(primary: Knex): Promise<Identity> {
    try {
      return await withConnection(primary, async (connection) => {
        const { rows } = await runOn<Identity>(connection, { text: `select ${identity}` });
        return rows[0] as Identity;
      });
    } catch (error) {
      this.primary = undefined;
      throw error;
    }
  }
}

/**
 * The reads of one request. They go to one replica, and from their first failure on to the primary, so that each sees
 * at least the state of those before it.
 */
export class PositionedReads {
  private place: Replica | keyof ReplicaReads | undefined;

  constructor(
    private readonly replicas: PostgresReplicas,
    private readonly position: LogPosition,
  ) {}

  /** `null`: the primary must answer. Throws after a statement time-out only, which the primary would repeat. */
  async read<Row>(query: Query): Promise<SqlResult<Row> | null> {
    const { position, replicas } = this;
    const place = (this.place ??= replicas.choose(position));
    let outcome: SqlResult<Row> | keyof ReplicaReads = typeof place === "string" ? place : "failed";
    if (typeof place !== "string") {
      try {
        outcome = (await place.read<Row>(position, query)) ?? "behind";
      } catch (error) {
        if (isStatementTimeout(error)) throw error;
      }
    }
    if (typeof outcome !== "string") {
      replicas.reads.served += 1;
      return outcome;
    }
    this.place = outcome;
    replicas.reads[outcome] += 1;
    return null;
  }
}

interface ReplicaParts {
  readonly primaryIdentity: () => Promise<Identity>;
  /** The latest known position of the primary. */
  readonly latest: () => LogPosition;
  readonly onChange: (state: ReplicaState) => void;
}

/** One standby with its pool, and a connection outside of it for the checks. */
class Replica {
  readonly name: string;
  /** Number of reads in progress. */
  reading = 0;
  private readonly engine: PostgresKnex;
  private fault: string | null = "It has not answered yet.";
  /** As of the last check or read. */
  private position = unknown;
  /** A position of the primary that it lacked at a check, and `performance.now()` of that check. */
  private awaited: { readonly position: LogPosition; readonly since: number } | null = null;
  /** Reads in a row for which it did not catch up, and `performance.now()` of the next try. */
  private late = { count: 0, nextTry: 0 };
  private probe: pg.Client | undefined;
  private timer: NodeJS.Timeout | undefined;
  private checking: Promise<void> | undefined;
  private isClosed = false;

  constructor(
    private readonly settings: PooledConnectionSettings,
    private readonly parts: ReplicaParts,
  ) {
    this.engine = createPostgresKnex({ ...settings, connectTimeout: answerTime });
    const [host] = addressOf(settings.url).hosts;
    this.name = hostText(host);
  }

  get state(): ReplicaState {
    const { name, fault, awaited } = this;
    return { name, fault, lag: awaited === null ? 0 : Math.round(performance.now() - awaited.since) };
  }

  /** Whether it works and follows the primary of this position. */
  isOn(position: LogPosition): boolean {
    return this.fault === null && isSameLog(this.position, position);
  }

  mayHaveReached({ bytes }: LogPosition): boolean {
    return this.position.bytes >= bytes || performance.now() >= this.late.nextTry;
  }

  /** Waits for the position in the same packet. `null`: it was not reached in time. */
  async read<Row>(position: LogPosition, query: Query): Promise<SqlResult<Row> | null> {
    const { bytes } = position;
    // While it is late, one read at a time tries it.
    const isTrial = this.late.count > 0 && this.position.bytes < bytes;
    if (isTrial) this.pause();
    const { knex } = this.engine;
    this.reading += 1;
    let connection: Connection;
    try {
      connection = await acquire(knex);
    } catch (error) {
      this.reading -= 1;
      throw error;
    }
    const end = () => {
      this.reading -= 1;
      release(knex, connection);
    };
    // Another read may have failed to catch up while this one waited for a connection.
    if (!isTrial && !this.mayHaveReached(position)) {
      end();
      return null;
    }
    const waiting = runOn<{ bytes: string }>(connection, { ...waitForReplay, values: [bytes] });
    const answer = runOn<Row>(connection, query);
    void answer.then(end, end);
    const { rows } = await waiting;
    const reached = Number(rows[0]?.bytes);
    if (reached < bytes) {
      // Reads that waited together count as one.
      if (isTrial || this.late.count === 0) this.late.count += 1;
      this.pause();
      return null;
    }
    this.late = { count: 0, nextTry: 0 };
    this.position = { ...this.position, bytes: reached };
    return answer;
  }

  /** Starts the checks, once. */
  start(): void {
    if (this.timer === undefined && this.checking === undefined && !this.isClosed) void this.check();
  }

  /** Concurrent callers share one check. */
  check(): Promise<void> {
    clearTimeout(this.timer);
    this.checking ??= this.look().finally(() => {
      this.checking = undefined;
      if (!this.isClosed) this.timer = setTimeout(() => void this.check(), checkInterval).unref();
    });
    return this.checking;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.leaveProbe();
    await this.engine.close();
  }

  private pause(): void {
    const pause = Math.min(pauses.first * 2 ** (this.late.count - 1), pauses.longest);
    this.late.nextTry = performance.now() + pause;
  }

  private async look(): Promise<void> {
    try {
      const { system, database, bytes, timeline, standby } = await inTime(this.ask());
      this.position = { system, timeline, bytes: Number(bytes) };
      const latest = this.parts.latest();
      if (!isBehind(this.position, latest)) this.awaited = null;
      else if (this.awaited === null || !isBehind(this.position, this.awaited.position))
        this.awaited = { position: latest, since: performance.now() };
      if (!standby) this.settle("It is not a standby.");
      else if (!(await this.isCopy({ system, database }))) this.settle("It is not a copy of the primary.");
      else if (timeline < latest.timeline) this.settle("It has not followed the last failover yet.");
      else this.settle(null);
    } catch (error) {
      this.leaveProbe();
      this.settle(error instanceof Error ? error.message : String(error));
      // Reads in progress get no answer in time either.
      this.engine.disconnect();
    }
  }

  private async isCopy(own: Identity): Promise<boolean> {
    const primary = await this.parts.primaryIdentity();
    return own.system === primary.system && own.database === primary.database;
  }

  private settle(fault: string | null): void {
    if (fault === this.fault || this.isClosed) return;
    this.fault = fault;
    this.parts.onChange(this.state);
  }

  private async ask(): Promise<CheckRow> {
    if (this.probe === undefined) {
      const { url, applicationName = "sallyport" } = this.settings;
      this.probe = new pg.Client({ application_name: applicationName, ...addressOf(url).hosts[0] });
      this.probe.on("error", () => {});
      await this.probe.connect();
    }
    const { rows } = await this.probe.query<CheckRow>(checkQuery);
    return rows[0] as CheckRow;
  }

  private leaveProbe(): void {
    // `end` would wait for answers.
    (this.probe as unknown as { connection: { stream: { destroy(): void } } } | undefined)?.connection.stream.destroy();
    this.probe = undefined;
  }
}

function isSameLog(one: LogPosition, other: LogPosition): boolean {
  return one.system === other.system && one.timeline === other.timeline;
}

function isBehind(one: LogPosition, other: LogPosition): boolean {
  return one.timeline < other.timeline || (one.timeline === other.timeline && one.bytes < other.bytes);
}

async function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    // After a pause of this process, an answer that has arrived is read before the verdict.
    timer = setTimeout(() => setImmediate(() => reject(new Error("It does not answer."))), answerTime);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
