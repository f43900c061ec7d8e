import { setTimeout as pause } from "node:timers/promises";
import { ServiceError } from "@sallyport/storage";
import type { Knex } from "knex";
import { type Run, runOn, withConnection } from "../connection.ts";
import { existingIndexes, existingStatistics } from "../index-expression.ts";
import { migrations } from "../migrations/migrations.ts";
import { lockMigrations, Migrator } from "../migrator.ts";
import { createPostgresKnex, type PostgresKnex } from "../postgres-pool.ts";
import { unmetBy } from "../server-facts.ts";
import { raiseStamps } from "../stamps.ts";
import { type Tables, tablesOf } from "../tables.ts";
import { hasNotice, leaveNotice, type MoveNotice, noticeTable } from "../move-notice.ts";
import { ask, copySequences, literal, MoveRefused, named, Replication, transact } from "./replication.ts";

export type MoveStep =
  | { readonly step: "copying"; readonly tables: number; readonly complete: number; readonly rows: number }
  | { readonly step: "indexing" }
  /** `behind`: bytes of the log that the new place lacks. */
  | { readonly step: "catchingUp"; readonly behind: number }
  | { readonly step: "switching" };

export interface MoveSettings {
  readonly schema: string;
  /** Connection string of the database as it is for servers. */
  readonly present: string;
  /** Connection string of the same database for a role that may replicate the schema and rename it. */
  readonly from: string;
  /** Connection string of the new place for servers. Its role owns the new schema. */
  readonly to: string;
  /** Connection string of the new place for a role that may create subscriptions. */
  readonly subscriber: string;
  readonly notice: MoveNotice;
  readonly report: (step: MoveStep) => void;
  /** Ends the move. The old place serves, and the copy is removed. */
  readonly signal: AbortSignal;
}

export interface MoveReport {
  /** `already`: an earlier run has switched; this one has only tidied up. */
  readonly outcome: "moved" | "already";
  /** The schema at the old place that keeps the former tables. */
  readonly oldSchema: string;
  /** Milliseconds for which writes waited or were refused; 0 if an earlier run has switched. */
  readonly interruption: number;
}

/**
 * Milliseconds. An autovacuum gives its lock up after `deadlock_timeout`, which is 1 s by default. Together with
 * `catchUpTimeout` it is the longest time for which writers wait.
 */
const lockTimeout = 1_500;
const catchUpTimeout = 3_000;
const stallTime = 60_000;
const pollInterval = 100;
/** Attempts to lock all tables while writers use them. */
const switchAttempts = 30;
/** Bytes of the log that the new place can lack when the switch begins. */
const closeEnough = 4 * 1_024 * 1_024;
/** The oldest version that counts the errors of a subscription. */
const oldestTarget = 150_000;

const connections = {
  connectTimeout: 5_000,
  statementTimeout: 30_000,
  applicationName: "sallyport-move",
  pool: { max: 3, acquireTimeout: 10_000, maxPendingAcquires: 10 },
};

/** The new place has not caught up in time. Writers go on until the next attempt. */
class NotCaughtUp extends Error {}

/** The identity of a database. Its addresses can differ. */
const serverName = "(select system_identifier from pg_control_system()) || '/' || current_database()";

interface OldPlace {
  readonly wal: string;
  readonly server: string;
  /** `null` without a schema. */
  readonly owner: string | null;
  readonly moved: boolean;
  /** Whether the former tables of an earlier move are still there. */
  readonly kept: boolean;
  /** A name for the replication, unique on the server. */
  readonly name: string;
}

/** 1 schema, 2 table of the notice, 3 schema for the former tables. */
const oldPlaceQuery = `
  select current_setting('wal_level') as wal, ${serverName} as server, n.nspowner::regrole::text as owner,
    to_regclass($2) is not null as moved, exists (select from pg_namespace where nspname = $3) as kept, 'sallyport_move_' || d.oid || '_' || left(md5($1), 8) as name
  from pg_database d left join pg_namespace n on n.nspname = $1 where d.datname = current_database()`;

/** Statements that create the value indexes and statistics of the old place. */
function definitionsQuery(tables: Tables): string {
  const index = `format('%I.%I', '${tables.schema}', name)`;
  const valid = `from (${existingIndexes(tables)}) i where valid`;
  return `select pg_get_indexdef(${index}::regclass) as text ${valid}
    union all select format('comment on index %s is %L', ${index}, obj_description(${index}::regclass, 'pg_class')) ${valid}
    union all select pg_get_statisticsobjdef(oid) from pg_statistic_ext
      where stxrelid = '${tables.objects}'::regclass and stxname in (${existingStatistics(tables)})`;
}

const neverSwitched = `Writers left no time for the switch in ${switchAttempts} attempts. Move again with fewer writers.`;

/** Whether the tables could not be locked in time. */
function isLockConflict(error: unknown): boolean {
  const state = error instanceof ServiceError ? (error.cause as { code?: unknown } | undefined)?.code : undefined;
  return state === "57014" || state === "55P03" || state === "40P01";
}

/**
 * Moves one schema to another server by logical replication, while servers use it. Rows are copied, then followed. For
 * the switch, all tables are locked against writers until the new place has every commit. Then one transaction renames the
 * old schema and leaves a notice in its place: that is the move. A failure before it leaves the old place in use, and
 * the next run begins again.
 */
export class PostgresMove {
  private readonly tables: Tables;
  private readonly oldSchema: string;
  private readonly pools: readonly PostgresKnex[];
  private readonly present: Knex;
  private readonly source: Knex;
  private readonly target: Knex;
  private readonly subscriber: Knex;
  /** The comment on the copy until it is in use. */
  private mark = "";
  private lockedAt = 0;

  constructor(private readonly options: MoveSettings) {
    const { schema, present, from, to, subscriber } = options;
    this.tables = tablesOf(schema);
    this.oldSchema = `${schema.slice(0, 57)}_moved`;
    this.pools = [present, from, to, subscriber].map((url) => createPostgresKnex({ ...connections, url }));
    [this.present, this.source, this.target, this.subscriber] = this.pools.map(({ knex }) => knex) as [
      Knex,
      Knex,
      Knex,
      Knex,
    ];
  }

  run(): Promise<MoveReport> {
    return this.alone(async () => {
      const { oldSchema } = this;
      const { replication, owner } = await this.examine();
      if (owner === null) {
        await this.tidyUp(replication);
        return { outcome: "already", oldSchema, interruption: 0 };
      }
      await this.discard(replication);
      try {
        const tables = await this.prepare();
        await replication.start(tables, this.options.from);
        await this.copy(replication, tables);
        await this.switchOver(replication, tables, owner);
      } catch (error) {
        // The switch can take effect although its answer is lost.
        if (!(await this.isSwitched(error))) {
          await this.discard(replication).catch(() => {});
          throw error;
        }
      }
      await this.tidyUp(replication);
      return { outcome: "moved", oldSchema, interruption: Math.round(performance.now() - this.lockedAt) };
    });
  }

  /** Removes what a broken-off move has left. */
  abandon(): Promise<void> {
    return this.alone(async () => {
      const { replication, owner } = await this.examine();
      if (owner === null) throw new MoveRefused("The database is already at the new place.");
      await this.discard(replication);
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.pools.map((pool) => pool.close()));
  }

  /** Excludes other moves of the schema during the work. */
  private async alone<T>(work: () => Promise<T>): Promise<T> {
    await named("The old server cannot be used", () => ask(this.source, "select"));
    for (const knex of [this.target, this.subscriber])
      await named("The new server cannot be used", () => ask(knex, "select"));
    return withConnection(this.source, async (connection) => {
      if (connection.pooler !== undefined)
        throw new MoveRefused("A pooler is before the old server. Pass the address of the server itself with --from.");
      // The connection keeps the lock of the move, and sends nothing while tables are copied.
      const unlimited =
        "select set_config('idle_session_timeout', '0', false) from pg_settings where name = 'idle_session_timeout'";
      await runOn(connection, { text: unlimited });
      const key = "hashtextextended($1, 0)";
      const values = [`sallyport:${this.tables.schema}:move`];
      const text = `select pg_try_advisory_lock(${key}) as taken`;
      const { rows } = await runOn<{ taken: boolean }>(connection, { text, values });
      if (rows[0]?.taken !== true) throw new MoveRefused("Another move of the database is running.");
      try {
        return await work();
      } finally {
        // A connection that is lost has lost its lock, too.
        await runOn(connection, { text: `select pg_advisory_unlock(${key})`, values }).catch(() => {});
      }
    });
  }

  /** The owner of the schema; `null` if an earlier run has switched. Throws if the database cannot be moved. */
  private async examine(): Promise<{ readonly replication: Replication; readonly owner: string | null }> {
    const { schema } = this.tables;
    const busy =
      "The old server does not answer while it migrates the database or completes the switch of an earlier move";
    const [{ wal, server, owner, moved, kept, name }] = await named(busy, () =>
      transact(this.source, async (run) => {
        await lockMigrations(run, this.tables);
        const values = [schema, noticeTable(this.tables), this.oldSchema];
        return (await run<OldPlace>({ text: oldPlaceQuery, values })).rows as [OldPlace];
      }),
    );
    const replication = new Replication(name, this.source, this.subscriber);
    this.mark = `Copied by sallyport-server move from ${server}. Not in use.`;
    if (moved) {
      const text = `select place from ${noticeTable(this.tables)}`;
      const [notice] = await ask<Pick<MoveNotice, "place">>(this.source, text);
      if (notice?.place === this.options.notice.place) return { replication, owner: null };
      throw new MoveRefused(`The database was already moved to ${notice?.place ?? "an unknown place"}.`);
    }
    if (owner === null) throw new MoveRefused(`The old place has no schema "${schema}".`);
    if (kept)
      throw new MoveRefused(`The old place has the schema "${this.oldSchema}" of an earlier move. Drop or rename it.`);
    if (wal !== "logical")
      throw new MoveRefused(`The old server has wal_level = ${wal}. Set wal_level = logical and restart it.`);
    if ((await this.serverOf(this.present)).server !== server)
      throw new MoveRefused("The connection string of --from leads to another database than storage.url.");
    const target = await this.serverOf(this.target);
    if (target.server === server) throw new MoveRefused("The new place is the old one.");
    if (target.version < oldestTarget)
      throw new MoveRefused(`The new server must be Postgres ${oldestTarget / 10_000} or later.`);
    return { replication, owner };
  }

  private async serverOf(knex: Knex): Promise<{ readonly server: string; readonly version: number }> {
    const text = `select ${serverName} as server, current_setting('server_version_num')::integer as version`;
    const [row] = await ask<{ server: string; version: number }>(knex, text);
    return row as { server: string; version: number };
  }

  /** Creates the schema at the new place. Returns its tables except the list of migrations, which is already complete. */
  private async prepare(): Promise<readonly string[]> {
    const { schema } = this.tables;
    const [reason] = await unmetBy(this.target, this.tables);
    if (reason !== undefined) throw new MoveRefused(`The new server is unsuitable. ${reason}`);
    await transact(this.target, async (run) => {
      await run({ text: `create schema "${schema}"` });
      await run({ text: `comment on schema "${schema}" is ${literal(this.mark)}` });
    });
    await new Migrator(this.target, this.tables, migrations).migrate();
    await this.compareMigrations();
    const listed =
      "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = $1 and tablename <> 'migrations'";
    const tables = (await ask<{ name: string }>(this.target, listed, [schema])).map(({ name }) => name);
    await ask(this.target, `truncate ${tables.join(", ")}`);
    return tables;
  }

  private async compareMigrations(): Promise<void> {
    const text = `select string_agg(name || ' ' || number, ', ' order by name) as list from ${this.tables.migrations}`;
    const [[old], [copy]] = (await Promise.all(
      [this.source, this.target].map((knex) => ask<{ list: string }>(knex, text)),
    )) as [{ list: string }[], { list: string }[]];
    if (old?.list !== copy?.list)
      throw new MoveRefused('The database is not migrated to this version. Run "sallyport-server migrate" first.');
  }

  /** Copies all rows, builds the value indexes, and waits until the new place follows closely. */
  private async copy(replication: Replication, tables: readonly string[]): Promise<void> {
    const { report } = this.options;
    await this.poll(async () => {
      const { tables: all, complete, rows, received } = await replication.copied();
      report({ step: "copying", tables: all, complete, rows: Number(rows) });
      return { done: complete === all, progress: `${complete} ${rows} ${received}` };
    });
    report({ step: "indexing" });
    const definitions = await ask<{ text: string }>(this.source, definitionsQuery(this.tables));
    for (const text of [...definitions.map((each) => each.text), `analyze ${tables.join(", ")}`]) {
      this.options.signal.throwIfAborted();
      await transact(this.target, async (run) => {
        await run({ text: "set local statement_timeout = 0" });
        await run({ text });
      });
    }
  }

  /** Waits until the new place follows so closely that writers need not wait long for the rest. */
  private followed(replication: Replication): Promise<void> {
    return this.poll(async () => {
      const [{ received }, { bytes, stored }] = await Promise.all([replication.copied(), replication.lag()]);
      this.options.report({ step: "catchingUp", behind: bytes });
      return { done: bytes <= closeEnough, progress: `${stored} ${received}` };
    });
  }

  /** Makes the new place the database. */
  private async switchOver(replication: Replication, tables: readonly string[], owner: string): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      await this.followed(replication);
      this.options.report({ step: "switching" });
      try {
        this.lockedAt = performance.now();
        return await transact(this.source, async (run) => {
          // It limits the statement as a whole: the tables that it has locked make writers wait for the others.
          await run({ text: `set local statement_timeout = ${lockTimeout}` });
          await lockMigrations(run, this.tables);
          await run({ text: `lock table ${tables.join(", ")} in share row exclusive mode` });
          await run({ text: `set local statement_timeout = ${connections.statementTimeout}` });
          await this.awaitEverything(replication);
          await this.compareMigrations();
          await replication.turn("disable");
          await this.finishCopy(run);
          this.options.signal.throwIfAborted();
          await leaveNotice(run, this.tables, { ...this.options.notice, owner, oldSchema: this.oldSchema });
        });
      } catch (error) {
        if (!(error instanceof NotCaughtUp) && !isLockConflict(error)) throw error;
        if (attempt === switchAttempts) throw new MoveRefused(neverSwitched, { cause: error });
        await replication.turn("enable");
        await pause(pollInterval * attempt, undefined, { signal: this.options.signal });
      }
    }
  }

  /** Waits until the new place has stored every commit. No other one can follow while the tables are locked. */
  private async awaitEverything(replication: Replication): Promise<void> {
    // Its commit flushes those before it.
    const text = "select pg_logical_emit_message(true, 'sallyport', '')::text as position";
    const position = await transact(this.source, async (run) => {
      await run({ text: `set local statement_timeout = ${catchUpTimeout}` });
      return (await run<{ position: string }>({ text })).rows[0]?.position;
    });
    const until = performance.now() + catchUpTimeout;
    while ((await replication.lag(position)).bytes > 0) {
      if (performance.now() > until) throw new NotCaughtUp();
      await pause(pollInterval / 5, undefined, { signal: this.options.signal });
    }
  }

  /** Completes the copy with what is not replicated: sequences, and stamps, which count the transactions of a server. */
  private async finishCopy(source: Run): Promise<void> {
    const { schema, settings } = this.tables;
    await transact(this.target, async (run) => {
      await copySequences(source, run, schema);
      await raiseStamps(run, this.tables);
      // The timeline is that of the old server.
      await run({ text: `update ${settings} set timeline = null` });
    });
  }

  /** Whether the old place has the notice. Waits for a switch whose connection was lost. */
  private async isSwitched(reason: unknown): Promise<boolean> {
    try {
      return await transact(this.source, async (run) => {
        await lockMigrations(run, this.tables);
        return hasNotice(run, this.tables);
      });
    } catch {
      const advice = "Run the same command again: it finishes the move or starts over.";
      throw new MoveRefused(`The connection to the old server was lost. ${advice}`, { cause: reason });
    }
  }

  private async tidyUp(replication: Replication): Promise<void> {
    await replication.end();
    await ask(this.target, `comment on schema "${this.tables.schema}" is null`);
  }

  /** Removes the copy. Throws if the new place has a schema of another origin. */
  private async discard(replication: Replication): Promise<void> {
    const { schema } = this.tables;
    await replication.end();
    const text = "select obj_description(oid, 'pg_namespace') as comment from pg_namespace where nspname = $1";
    const [row] = await ask<{ comment: string | null }>(this.target, text, [schema]);
    if (row === undefined) return;
    if (row.comment !== this.mark) throw new MoveRefused(`The new place already has a schema "${schema}".`);
    await ask(this.target, `drop schema "${schema}" cascade`);
  }

  /** Repeats a look until it is done. Throws if nothing has changed for a minute. */
  private async poll(look: () => Promise<{ readonly done: boolean; readonly progress: string }>): Promise<void> {
    let [last, since] = ["", performance.now()];
    for (;;) {
      this.options.signal.throwIfAborted();
      const { done, progress } = await look();
      if (done) return;
      if (progress !== last) [last, since] = [progress, performance.now()];
      else if (performance.now() - since > stallTime)
        throw new MoveRefused("Nothing was copied for 60 seconds. The log of the new server says why.");
      await pause(pollInterval, undefined, { signal: this.options.signal });
    }
  }
}
