import { setTimeout as pause } from "node:timers/promises";
import { types } from "node:util";
import type { Knex } from "knex";
import { rollBack, type Run, runnerOf, runOn, withConnection } from "../connection.ts";

/** Why a database cannot be moved, as a sentence for the operator. The old place serves. */
export class MoveRefused extends Error {
  override readonly name = "MoveRefused";
}

/** The progress of the copy. */
export interface Copied {
  readonly tables: number;
  /** Tables that are complete and follow. */
  readonly complete: number;
  /** Rows of the tables that are being copied. */
  readonly rows: string;
  /** The positions that the processes of the subscription have received. */
  readonly received: string | null;
  readonly errors: number;
}

const ofDatabase = "subname = $1 and subdbid = (select oid from pg_database where datname = current_database())";

/** 1 subscription. */
const copiedQuery = `
  select count(*)::integer as tables, count(*) filter (where r.srsubstate = 'r')::integer as complete,
    (select coalesce(sum(tuples_processed), 0) from pg_stat_progress_copy)::text as rows,
    (select string_agg(w.received_lsn::text, ' ' order by w.pid) from pg_stat_subscription w where w.subid = s.oid) as received,
    (select (e.apply_error_count + e.sync_error_count)::integer from pg_stat_subscription_stats e where e.subid = s.oid) as errors
  from pg_subscription s join pg_subscription_rel r on r.srsubid = s.oid where ${ofDatabase} group by s.oid`;

export interface Lag {
  /** Bytes of the log that the new place has not stored. */
  readonly bytes: number;
  /** The position that it has stored. */
  readonly stored: string;
}

/** Milliseconds. */
const pollInterval = 100;
const releaseTimeout = 10_000;

/** The logical replication of one schema. The publication, the slot and the subscription have one name. */
export class Replication {
  /** @param subscriber a role of the new server that may create subscriptions */
  constructor(
    private readonly name: string,
    private readonly source: Knex,
    private readonly subscriber: Knex,
  ) {}

  /** @param url the connection string of the old server, for the new one */
  async start(tables: readonly string[], url: string): Promise<void> {
    const { name, source, subscriber } = this;
    await named("The old server refused a publication", async () => {
      await ask(source, `create publication ${name} for table ${tables.join(", ")}`);
      await ask(source, "select pg_create_logical_replication_slot($1, 'pgoutput')", [name]);
    });
    // The slot exists already: two databases of one server would wait for each other.
    const options = `create_slot = false, slot_name = '${name}', copy_data = true`;
    const text = `create subscription ${name} connection ${literal(url)} publication ${name} with (${options})`;
    await named("The new server refused a subscription", () => ask(subscriber, text));
  }

  async copied(): Promise<Copied> {
    const [state] = await ask<Copied>(this.subscriber, copiedQuery, [this.name]);
    if (state === undefined) throw new MoveRefused("The subscription is gone from the new server.");
    if (state.errors > 0) throw new MoveRefused("The copy failed. The log of the new server says why.");
    return state;
  }

  /** How far the new place lags behind a position of the log, by default the current one. */
  async lag(position?: string): Promise<Lag> {
    const upTo = position === undefined ? "pg_current_wal_insert_lsn()" : `${literal(position)}::pg_lsn`;
    const text = `select greatest(pg_wal_lsn_diff(${upTo}, confirmed_flush_lsn), 0)::float8 as bytes, confirmed_flush_lsn::text as stored
      from pg_replication_slots where slot_name = $1`;
    const [lag] = await ask<Lag | { readonly bytes: null }>(this.source, text, [this.name]);
    if (lag === undefined || lag.bytes === null)
      throw new MoveRefused("The replication slot of the move is gone from the old server.");
    return lag;
  }

  async turn(state: "enable" | "disable"): Promise<void> {
    await ask(this.subscriber, `alter subscription ${this.name} ${state}`);
  }

  /** Removes all of it, also what a broken-off move has left. */
  async end(): Promise<void> {
    const { name, source, subscriber } = this;
    // The server adds its identifier to the slots that it creates for tables. Another one can have the same oid.
    const text = `select 'pg_' || oid || '_sync_%_' || (select system_identifier from pg_control_system()) as slots
      from pg_subscription where ${ofDatabase}`;
    const [subscription] = await ask<{ slots: string }>(subscriber, text, [name]);
    if (subscription !== undefined) {
      await this.turn("disable");
      // The slots are dropped below, even if the new server no longer reaches the old one.
      await ask(subscriber, `alter subscription ${name} set (slot_name = none)`);
      await ask(subscriber, `drop subscription ${name}`);
    }
    const until = performance.now() + releaseTimeout;
    for (;;) {
      const slots = await this.slots(subscription?.slots ?? name);
      if (slots.length === 0) break;
      // Its process on the old server notices the end of the subscription soon.
      for (const slot of slots)
        if (!slot.active || performance.now() > until)
          await ask(source, "select pg_drop_replication_slot($1)", [slot.name]);
      await pause(pollInterval);
    }
    await ask(source, `drop publication if exists ${name}`);
  }

  private slots(ofTables: string): Promise<{ readonly name: string; readonly active: boolean }[]> {
    const text = "select slot_name as name, active from pg_replication_slots where slot_name = $1 or slot_name like $2";
    return ask(this.source, text, [this.name, ofTables]);
  }
}

/** Numbers that are skipped in each sequence, because a number can be taken without a lock. */
const skippedNumbers = 1_000n;

/** Raises the sequences of a copied schema above those of its original. */
export async function copySequences(original: Run, copy: Run, schema: string): Promise<void> {
  const { rows: sequences } = await original<{ name: string; last: string | null }>({
    text: `select format('%I.%I', n.nspname, c.relname) as name, pg_sequence_last_value(c.oid::regclass)::text as last
      from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relkind = 'S'`,
    values: [schema],
  });
  for (const { name, last } of sequences) {
    const next = BigInt(last ?? 0) + skippedNumbers;
    await copy({ text: "select setval($1::regclass, $2::bigint)", values: [name, String(next)] });
  }
}

export async function ask<Row>(knex: Knex, text: string, values: string[] = []): Promise<Row[]> {
  return withConnection(knex, async (connection) => (await runOn<Row>(connection, { text, values })).rows);
}

export function transact<T>(knex: Knex, work: (run: Run) => Promise<T>): Promise<T> {
  return withConnection(knex, async (connection) => {
    await runOn(connection, { text: "begin isolation level read committed" });
    try {
      const result = await work(runnerOf(connection));
      await runOn(connection, { text: "commit" });
      return result;
    } catch (error) {
      await rollBack(connection);
      throw error;
    }
  });
}

/** Adds to a refusal of a database server what was refused. */
export async function named<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { cause } = error as { readonly cause?: unknown };
    if (!types.isNativeError(cause)) throw error;
    throw new MoveRefused(`${what}: ${cause.message}.`, { cause: error });
  }
}

export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
