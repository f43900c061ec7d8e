import { ServiceError, type StorageRecovery } from "@sallyport/storage";
import type { Knex } from "knex";
import type { OpenCalls } from "../../query-runner.ts";
import { withSettings } from "../../sql-errors.ts";
import { acquire, type Connection, release, rollBack, runnerOf, runOn, withConnection } from "./connection.ts";
import { lockMigrations } from "./migrator.ts";
import { raiseStamps } from "./stamps.ts";
import { confirmedByAll } from "./expressions.ts";
import { type Tables, tablesOf } from "./tables.ts";
import { isEarlier, numberOf, readHistory } from "./timeline-history.ts";

/** An event for the log of an operator. `message` says what happened. */
export interface TimelineEvent {
  readonly level: "info" | "warn";
  readonly message: string;
  /** Why nothing proves that all acknowledged writes are there; `null` if that is not in question. */
  readonly reason: string | null;
}

export interface TimelineOptions {
  /** `refuse`: calls on an unproven timeline fail with 705 until `recover`. `warn`: they are served. */
  readonly afterLossyFailover: "refuse" | "warn";
  readonly report: (event: TimelineEvent) => void;
}

/** The accepted timeline, as kept in `settings`. */
interface RecordedTimeline {
  /** The identifier of the server's system and the timeline: `7312345678901234567/00000002`. */
  readonly name: string;
  /** A position in the log that the server had acknowledged, such as `0/3000060`. */
  readonly position: string;
  /** Whether commits waited for all named standbys. */
  readonly synchronous: boolean;
  /** Why servers use the timeline. */
  readonly accepted: "first" | "proven" | "recovered";
  /** A server found that acknowledged writes are missing although another one had accepted the timeline. */
  readonly lost?: true;
}

interface Found {
  /** The name of the timeline; `null` on a standby, where it can change without a new connection. */
  readonly name: string | null;
  /** `null` if nothing was recorded yet. */
  readonly recorded: RecordedTimeline | null;
}

/** The last position that this process has seen acknowledged. */
type Seen = Pick<RecordedTimeline, "name" | "position" | "synchronous">;

/** Milliseconds between two records of a process in `settings`. */
const recordInterval = 60_000;
/** Milliseconds for which a refusal is not examined again. */
const refusalTime = 1_000;

/** The log has the current timeline. After a promotion, the control file has the former one for a while. */
const currentName = `(select system_identifier from pg_control_system()) || '/' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)`;
const isSynchronous = `(${confirmedByAll()} and current_setting('synchronous_commit') in ('on', 'remote_apply'))`;

/** The row as JSON, because a database of an earlier version lacks the column. */
const recordedIn = ({ settings }: Tables) => `(select to_jsonb(s) -> 'timeline' from ${settings} s)`;
const recordOf = (accepted: string) =>
  `jsonb_build_object('name', ${currentName}, 'position', pg_current_wal_insert_lsn(), 'synchronous', ${isSynchronous}, 'accepted', ${accepted})`;
const isRecorded = `timeline ->> 'name' = $1 and timeline -> 'lost' is null`;

function findQuery(tables: Tables): string {
  return `select case when not pg_is_in_recovery() then ${currentName} end as name, ${recordedIn(tables)} as recorded`;
}

/**
 * Keeps calls from a server that may lack acknowledged writes. A failover, and a restore of a physical copy, begin a new
 * timeline, and only a new connection can reach it: the first call on each connection compares the timeline with the one
 * in `settings`. Another timeline is used if it is proven that nothing was lost, or after `recover`.
 *
 * The proof: commits waited for a standby, as `settings` and this process have seen, and the new timeline begins at or
 * behind the last position that either has seen acknowledged. A process that has not seen the former timeline proves
 * nothing: `settings` is as old as what was lost. It waits for another process, or for `recover`.
 */
export class TimelineGuard {
  /** The timeline whose connections are used without a question. */
  private accepted: string | undefined;
  private refused: { readonly name: string; readonly at: number; readonly error: ServiceError } | undefined;
  private seen: Seen | undefined;
  /** Whether a call has had a connection in this interval. Without one, nothing was acknowledged. */
  private isUsed = false;
  /** The database server does not tell its timeline. */
  private isBlind = false;
  private readonly reported = new Set<string>();
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly knex: Knex,
    private readonly tables: Tables,
    private readonly calls: OpenCalls,
    private readonly options: TimelineOptions,
  ) {
    this.timer = setInterval(() => this.endInterval(), recordInterval).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Records the position if a call can have been acknowledged. One that still runs belongs to the next interval too. */
  endInterval(): void {
    const { isUsed } = this;
    this.isUsed = this.calls.areRunning;
    if (isUsed) this.recordSoon();
  }

  /** A connection that is admitted, for a call or the guard itself. 705 if its timeline is refused. */
  async acquire(isCall = true): Promise<Connection> {
    this.isUsed ||= isCall;
    const connection = await acquire(this.knex);
    const { timeline } = connection;
    if (this.isBlind || (timeline !== undefined && timeline === this.accepted)) return connection;
    try {
      await this.admit(connection);
      return connection;
    } catch (error) {
      release(this.knex, connection);
      throw error;
    }
  }

  /** Compares the timeline of a connection. 705 if it is refused. */
  async admit(connection: Connection): Promise<void> {
    const { refused } = this;
    if (refused !== undefined && refused.name === connection.timeline && performance.now() - refused.at < refusalTime)
      throw refused.error;
    // Another process can accept the timeline first.
    for (let attempt = 1; ; attempt += 1) {
      const { name, recorded } = await this.find(connection);
      if (name === null) return this.meetStandby(connection);
      connection.timeline = name;
      const verdict = await this.judge(connection, name, recorded);
      if (verdict === "accepted") return this.accept(name, recorded);
      if (verdict !== "changed" || attempt === 3) return this.refuse(name, verdict);
    }
  }

  /** A standby answers where a primary did. The next connection may lead to the new primary. */
  private meetStandby(connection: Connection): void {
    if (this.isBlind || (this.accepted === undefined && this.seen === undefined)) return;
    const error = new ServiceError(704, { detail: "The database server has become a standby." });
    connection.__knex__disposed = error;
    throw error;
  }

  /** Commits without a change to a table, which waits for a synchronous standby as other commits do. */
  async commitNothing(): Promise<void> {
    const message = "pg_logical_emit_message(true, 'sallyport', '')";
    await this.during(async (connection) => {
      if (this.accepted === undefined) return void (await runOn(connection, { text: `select ${message}` }));
      const text = `select ${currentName} as name, ${isSynchronous} as synchronous, ${message} as position`;
      const [seen] = (await runOn<Seen>(connection, { text })).rows as [Seen];
      const before = this.seen?.synchronous;
      this.see(seen);
      if (seen.synchronous !== before) this.recordSoon();
    });
  }

  /** Records the position in `settings`. Once the statement has returned, the commit is acknowledged. */
  async record(): Promise<void> {
    await this.during(async (connection) => {
      if (this.accepted === undefined) return;
      const { rows } = await runOn<{ timeline: RecordedTimeline }>(connection, {
        text: `update ${this.tables.settings} set timeline = ${recordOf("timeline -> 'accepted'")}
          where ${isRecorded} and ${currentName} = $1 returning timeline`,
        values: [this.accepted],
      });
      const [recorded] = rows;
      // Without a row, another process has refused the timeline, or a pooler has connected to another server.
      if (recorded === undefined) this.accepted = undefined;
      else {
        this.see(recorded.timeline);
        await this.checkHistory(connection, recorded.timeline);
      }
    });
  }

  private recordSoon(): void {
    // The next one replaces a failed one.
    void this.calls.during(() => this.record()).catch(() => {});
  }

  private see({ name, position, synchronous }: Seen): void {
    if (name === this.accepted) this.seen = { name, position, synchronous };
    else this.accepted = undefined;
  }

  private async during(work: (connection: Connection) => Promise<void>): Promise<void> {
    const connection = await this.acquire(false);
    try {
      await work(connection);
    } finally {
      release(this.knex, connection);
    }
  }

  private async find(connection: Connection): Promise<Found> {
    try {
      const { rows } = await runOn<Found>(connection, { text: findQuery(this.tables) });
      return rows[0] as Found;
    } catch (error) {
      if (!isUnsupported(error)) throw error;
      this.isBlind = true;
      const message = "The database server does not tell its timeline. A failover that loses writes is not noticed.";
      this.reportOnce("blind", { level: "warn", message, reason: null });
      return { name: null, recorded: null };
    }
  }

  /** `accepted`, `changed` if the record has changed since, or the reason why the timeline is not accepted. */
  private async judge(connection: Connection, name: string, recorded: RecordedTimeline | null): Promise<string> {
    const { seen } = this;
    if (seen !== undefined && isEarlier(name, seen.name)) return former;
    const change = async (value: string, where: string, ...values: string[]) => {
      const text = `update ${this.tables.settings} set timeline = ${value} where ${where}`;
      return (await runOn(connection, { text, values })).rowCount > 0;
    };
    if (recorded === null) return (await change(recordOf("'first'"), "timeline is null")) ? "accepted" : "changed";
    if (recorded.lost === true) return missing;
    if (recorded.name === name) {
      if (recorded.accepted !== "proven" || seen === undefined || seen.name === name) return "accepted";
      const reason = await this.lossSince(connection, name, { seen });
      if (reason === missing) await change(`timeline || '{"lost": true}'`, isRecorded, name);
      return reason ?? "accepted";
    }
    if (!recorded.synchronous || seen?.synchronous === false) return "Commits did not wait for all standbys.";
    if (seen?.name !== recorded.name) return "This process has not seen the former timeline.";
    const reason = await this.lossSince(connection, name, { recorded, seen });
    if (reason !== null) return reason;
    if (!(await change(recordOf("'proven'"), isRecorded, recorded.name))) return "changed";
    const message = "The database server has a new timeline, with all acknowledged writes.";
    this.options.report({ level: "info", message, reason: null });
    return "accepted";
  }

  /**
   * Why a timeline may lack what was acknowledged on timelines from which it descends; `null` if it lacks nothing. Between
   * the recorded one and this one there must be no other, of which the record could be lost.
   */
  private async lossSince(
    connection: Connection,
    name: string,
    marks: { readonly recorded?: Seen; readonly seen: Seen },
  ): Promise<string | null> {
    const history = await readHistory(connection, this.tables, name);
    if (history === "unreadable") return unreadable;
    const { recorded, seen } = marks;
    if (recorded !== undefined && history.at(-1)?.name !== recorded.name) return foreign;
    for (const each of [recorded ?? seen, seen]) {
      const left = history.find((ancestor) => ancestor.name === each.name);
      if (left === undefined) return foreign;
      if (numberOf(each.position) > numberOf(left.end)) return missing;
    }
    return null;
  }

  private accept(name: string, recorded: RecordedTimeline | null): void {
    this.accepted = name;
    this.refused = undefined;
    if (this.seen?.name === name) return;
    // A commit that others can read was acknowledged.
    this.seen = recorded?.name === name ? recorded : undefined;
    this.recordSoon();
  }

  private refuse(name: string, reason: string): void {
    const lossy = "The database server has a new timeline, and acknowledged writes may be lost";
    if (this.options.afterLossyFailover === "warn") {
      this.reportOnce(name, { level: "warn", message: `${lossy}. Run \`sallyport-server recover\`.`, reason });
      this.accepted = name;
      return;
    }
    const message = `${lossy}. Requests fail with 705 until \`sallyport-server recover\` has run.`;
    this.reportOnce(name, { level: "warn", message, reason });
    const detail = `${lossy}. ${reason} Run "sallyport-server recover".`;
    const error = new ServiceError(705, { detail });
    this.accepted = undefined;
    this.refused = { name, at: performance.now(), error };
    throw error;
  }

  /** Warns in time if the next failover cannot be proven. */
  private async checkHistory(connection: Connection, { name, synchronous }: Seen): Promise<void> {
    if (!synchronous || this.reported.has("history")) return;
    if ((await readHistory(connection, this.tables, name)) !== "unreadable") return;
    const message = "After the next failover, requests will fail with 705 until `sallyport-server recover` has run.";
    this.reportOnce("history", { level: "warn", message, reason: unreadable });
  }

  private reportOnce(key: string, event: TimelineEvent): void {
    if (this.reported.has(key)) return;
    this.reported.add(key);
    this.options.report(event);
  }
}

const missing = "Acknowledged writes are missing.";
const former = "This process has used a later timeline. Restart it if that one is abandoned.";
const foreign = "It does not continue the former timeline.";
const unreadable = "The role cannot read the history of timelines.";

/** Managed services can lack the functions, or keep them from the role. */
function isUnsupported(error: unknown): boolean {
  const cause: unknown = error instanceof ServiceError ? error.cause : null;
  return ["0A000", "42501", "42883"].includes(String((cause as { readonly code?: unknown } | null)?.code));
}

/**
 * How many numbers a recovery skips in each series. No one knows how many the lost transactions used. A database that
 * creates 1,700 objects a second needs a week for as many, and all series have room for millions of recoveries.
 */
const skipped = 2 ** 30;

/** Recovers one schema after lost transactions. The role must own the schema. */
export function postgresRecovery(knex: Knex, schema: string): StorageRecovery {
  const tables = tablesOf(schema);
  const { channels, sessions, settings, stamps } = tables;
  return {
    look: () =>
      withConnection(knex, async (connection) => {
        const [row] = (await runOn<Found>(connection, { text: findQuery(tables) })).rows;
        const { name = null, recorded = null } = row ?? {};
        if (name === null) throw new ServiceError(704, { detail: "The database server is a standby." });
        withSettings((await runOn(connection, { text: `select from ${settings}` })).rows);
        return { timeline: name, isPending: recorded !== null && (recorded.lost === true || recorded.name !== name) };
      }),
    skip: (mode) =>
      withConnection(knex, async (connection) => {
        const run = runnerOf(connection);
        await run({ text: "begin isolation level read committed" });
        try {
          await run({ text: "set local statement_timeout = 0" });
          await lockMigrations(run, tables);
          await run({
            text: `select setval(c.oid::regclass, coalesce(pg_sequence_last_value(c.oid::regclass), 0) + ${skipped})
              from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relkind = 'S' and c.oid <> '${stamps}'::regclass`,
            values: [schema],
          });
          await run({
            text: `update ${settings} set model_generation = model_generation + ${skipped}, macro_generation = macro_generation + ${skipped}`,
          });
          await run({
            text: `update ${sessions} set expires_at = least(expires_at, now()) where $1 in (mode, 'all')`,
            values: [mode],
          });
          await run({ text: `update ${channels} set next_out = next_out + ${skipped}` });
          await raiseStamps(run, tables, skipped);
          await run({ text: "commit" });
        } catch (error) {
          await rollBack(connection);
          throw error;
        }
      }),
    accept: (timeline) =>
      withConnection(knex, async (connection) => {
        const text = `update ${settings} set timeline = ${recordOf("'recovered'")} where ${currentName} = $1`;
        return (await runOn(connection, { text, values: [timeline] })).rowCount > 0;
      }),
  };
}
