import type { Knex } from "knex";
import type { OpenWriter } from "../../sql-storage.ts";
import { type Statement, statement } from "../../sql-runner.ts";
import { type Run, runOn, withConnection } from "./connection.ts";
import type { Functions, Migration } from "./migrator.ts";
import { unseen, unseenArray } from "./expressions.ts";
import { type Tables, tablesOf } from "./tables.ts";

/**
 * The stamp of a write: one number per transaction, of a sequence. It is the setting of the transaction, which a rollback
 * to a savepoint reverts together with the locks of `takeStamp`. The first write of an object takes it.
 */
export function writeStamp({ takeStamp, ...tables }: Tables): string {
  return `coalesce(nullif(current_setting('${ownStamp(tables)}', true), '')::bigint, ${takeStamp}())`;
}

/** The name of the setting with the stamp of the transaction. */
function ownStamp({ schema }: Pick<Tables, "schema">): string {
  return `sallyport.${schema}_stamp`;
}

/**
 * Locks that writers hold until their transaction ends, prepared ones included. A writer announces itself before it takes
 * its stamp, then publishes the stamp, for readers of the watermark.
 */
const announced = ({ schema }: Tables) => `hashtext('sallyport:${schema}:writer')`;
const published = ({ schema }: Tables) => `hashtext('sallyport:${schema}:stamp')`;

// The result is compared because an assignment is evaluated without a query.
const lock = (key: string, number: string) => `done := pg_advisory_xact_lock_shared(${key}, ${number}) is not null`;

function announce(tables: Tables): string {
  return lock(announced(tables), "0");
}

/** Publishes the lower half of a stamp; a lock has no room for more. */
function publish(tables: Tables, stamp: string): string {
  return lock(published(tables), `(((${stamp}) & 4294967295) - ((${stamp}) & 2147483648) * 2)::integer`);
}

/** The locks of writers, from `pg_locks l`. */
function locksOfWriters(tables: Tables): string {
  return `l.locktype = 'advisory' and l.objsubid = 2 and l.classid in (${announced(tables)}::oid, ${published(tables)}::oid)
    and l.database = (select oid from pg_database where datname = current_database())`;
}

/**
 * The highest stamp of all rows, including forgotten ones. It never falls: a changed, deleted or restored object gets a
 * higher one. The index of objects is by class, so that it is read once for each class.
 */
export function highestStamp({ tombstones, objects, settings }: Tables): string {
  const next = (condition: string) => `(select class from ${objects} where ${condition} order by class limit 1)`;
  const ofClass = `(select stamp from ${objects} o where o.class = c.class order by stamp desc limit 1)`;
  return `greatest((
      with recursive c as (select ${next("true")} as class union all select ${next(`class > c.class`)} from c where c.class is not null)
      select max(${ofClass}) from c
    ), (select max(stamp) from ${tombstones}), (select swept_stamp from ${settings}))`;
}

/** The last stamp that was issued. Needs no more rights to the sequence than to take one. */
function lastStamp({ stamps }: Tables): string {
  return `coalesce(pg_sequence_last_value('${stamps}'), 0)`;
}

/** Whether rows have stamps that were not issued here: they come from elsewhere. Readers would miss new writes. */
export async function stampsAreAhead(run: Run, tables: Tables): Promise<boolean> {
  const { rows } = await run<{ ahead: boolean }>({
    text: `select ${highestStamp(tables)} > ${lastStamp(tables)} as ahead`,
  });
  return rows[0]?.ahead === true;
}

/**
 * Raises the sequence so that new stamps exceed all existing ones, and skips some more. Blocks writers of objects until
 * the transaction ends. Transactions that began before it also get higher stamps.
 */
export async function raiseStamps(run: Run, tables: Tables, skipped = 0): Promise<void> {
  if (skipped === 0 && !(await stampsAreAhead(run, tables))) return;
  await run({ text: `lock table ${tables.objects}, ${tables.tombstones} in share row exclusive mode` });
  await run({ text: raise(tables, skipped) });
}

function raise(tables: Tables, skipped: number): string {
  const raised = `select greatest(${lastStamp(tables)}, ${highestStamp(tables)}) + ${skipped} as stamp`;
  return `select setval('${tables.stamps}', stamp) from (${raised}) raised where stamp > 0`;
}

/**
 * Replaces stamps that were transaction numbers of the server, plus an offset. No write is between the last of those and
 * the first of the sequence. Servers of the previous version can no longer write objects or read a watermark.
 */
export const stampSequence: Migration = {
  name: "0009-stamp-sequence",
  statements: (tables) => {
    const { formerReaders, keepStamp, objects, schema, stamps, tombstones } = tables;
    const replicated = (table: string, name: string, row = "") => [
      `create trigger ${name} before insert or update on ${table} for each row execute function ${keepStamp}(${row})`,
      `alter table ${table} enable replica trigger ${name}`,
    ];
    return [
      `lock table ${objects}, ${tombstones} in access exclusive mode`,
      `create sequence ${stamps} maxvalue ${Number.MAX_SAFE_INTEGER}`,
      raise(tables, 0),
      ...stampFunctions.statements(tables, []),
      `alter table ${objects} alter column stamp set default 0, alter column created_stamp set default 0`,
      `alter table ${tombstones} alter column stamp set default 0`,
      ...replicated(objects, "objects_replicated", "'object'"),
      ...replicated(tombstones, "tombstones_replicated", "'object'"),
      ...replicated(formerReaders, "former_readers_replicated"),
      `drop function "${schema}".stamp_offset()`,
    ];
  },
};

export const stampFunctions: Functions = {
  name: "stamp_row",
  number: 2,
  statements: (tables) => [takeFunction(tables), rowFunction(tables), replicatedFunction(tables)],
};

/** Takes the stamp of the transaction. */
function takeFunction(tables: Tables): string {
  return `create or replace function ${tables.takeStamp} () returns bigint language plpgsql as $$
  declare
    taken bigint;
    done boolean;
    setting text;
  begin
    ${announce(tables)};
    taken := nextval('${tables.stamps}');
    ${publish(tables, "taken")};
    setting := set_config('${ownStamp(tables)}', taken::text, true);
    return taken;
  end
  $$`;
}

/** A trigger function that sets the stamp on every write of a row. 0 means created by this transaction. */
function rowFunction(tables: Tables): string {
  return `create or replace function ${tables.stampRow} () returns trigger language plpgsql as $$
  begin
    new.stamp := ${writeStamp(tables)};
    if new.created_stamp = 0 then
      new.created_stamp := new.stamp;
    end if;
    return new;
  end
  $$`;
}

/**
 * A trigger function for rows that logical replication writes. They keep the stamps of their origin, on which clients rely
 * after a move, unless these were issued here already: then a watermark above them may have been served.
 */
function replicatedFunction(tables: Tables): string {
  const floor = `sallyport.${tables.schema}_floor`;
  return `create or replace function ${tables.keepStamp} () returns trigger language plpgsql as $$
  declare
    issued bigint := nullif(current_setting('${floor}', true), '');
    origin constant bigint := new.stamp;
    done boolean;
    setting text;
  begin
    if issued is null then
      ${announce(tables)};
      issued := ${lastStamp(tables)};
      ${publish(tables, "issued + 1")};
      setting := set_config('${floor}', issued::text, true);
    end if;
    if origin <= issued then
      new.stamp := ${writeStamp(tables)};
      if tg_nargs > 0 then
        if new.created_stamp = origin then
          new.created_stamp := new.stamp;
        end if;
      end if;
    end if;
    return new;
  end
  $$`;
}

/**
 * The highest existing stamp, below those of open writers. A writer with a lower stamp than a row that the statement sees has
 * announced itself before the statement began: it shows its locks, or has ended, so that later statements see its rows.
 * Usually no one writes, which the attempt to exclude writers for a microsecond tells; it ignores the locks of its own
 * transaction. Reading all locks of the server costs some 50 µs. Null while a writer has announced itself without a stamp,
 * for microseconds. No row on a standby, which does not have the locks.
 */
function watermark(tables: Tables): string {
  const writers = announced(tables);
  return `with highest as materialized (select ${highestStamp(tables)} as stamp where not pg_is_in_recovery())
    select case
      when coalesce(current_setting('${ownStamp(tables)}', true), '') = '' and pg_try_advisory_lock(${writers}, 0)
        then case when pg_advisory_unlock(${writers}, 0) then stamp end
      else (
        select case when not coalesce(bool_or(writer.stamp is null), false) then least(highest.stamp, min(writer.stamp) - 1) end
        from (
          select min(issued.last + ((l.objid::bigint - issued.last + 2147483648) & 4294967295) - 2147483648)
            filter (where l.classid = ${published(tables)}::oid) as stamp
          from pg_locks l cross join (select ${lastStamp(tables)} as last) issued where ${locksOfWriters(tables)} group by l.virtualtransaction
        ) writer
      ) end as watermark
    from highest`;
}

/** The open transactions that keep changes from devices, the oldest first. */
export function postgresOpenWriters(knex: Knex, schema: string): Promise<OpenWriter[]> {
  const tables = tablesOf(schema);
  const lockHolders = `select distinct virtualtransaction as transaction, pid from pg_locks l where ${locksOfWriters(tables)}`;
  const prepared = `select p.owner, p.gid, p.prepared, x.virtualtransaction as transaction from pg_prepared_xacts p
    join pg_locks x on x.locktype = 'transactionid' and x.transactionid = p.transaction and x.pid is null`;
  const text = `select transaction, pid, coalesce(a.usename, p.owner) as role, coalesce(a.application_name, '') as application,
        p.gid as prepared, (extract(epoch from clock_timestamp() - coalesce(a.xact_start, p.prepared)) * 1000)::float8 as age
      from (${lockHolders}) w left join pg_stat_activity a using (pid) left join (${prepared}) p using (transaction)
      order by age desc nulls last, transaction`;
  return withConnection(knex, async (connection) => (await runOn<OpenWriter>(connection, { text })).rows);
}

export function changeStatements(tables: Tables) {
  const reads = new Map<number, Statement>();
  return {
    watermark: statement("change_watermark", watermark(tables)),
    /**
     * The statement for at most `limit` changes or a few more. 1 classes, 2 and 3 stamp and object number to start after,
     * 4 highest stamp. The limit is a literal, rounded up to a quarter of a power of two, and the classes are a query, so that
     * estimates do not depend on parameters. Otherwise the planner would plan each call, which takes as long as the call.
     */
    read(limit: number): Statement {
      const step = 2 ** Math.max(0, Math.floor(Math.log2(Math.max(limit, 1))) - 2);
      const rounded = Math.ceil(limit / step) * step;
      const changeRead = reads.get(rounded) ?? statement("change_read", read(tables, rounded));
      reads.set(rounded, changeRead);
      return changeRead;
    },
  };
}

/**
 * Reads the places of the page from the index of each class alone, then their rows one by one. The planner does not know
 * the limit and would read whole tables for a join.
 */
function read({ formerReaders, objects, settings, tombstones }: Tables, limit: number): string {
  const heads = (table: string) => `(select stamp, oid from ${table}
      where class = listed.name and (stamp, oid) > (${unseen("$2::bigint")}, ${unseen("$3::bigint")}) and stamp <= ${unseen("$4::bigint")} order by stamp, oid limit ${limit})`;
  const last = (table: string, kind: string) =>
    `(select uuid, class, version, readers, stamp, created_stamp, ${kind} as kind from ${table} where oid = place.oid)`;
  return `select swept_stamp as swept, place.stamp, place.oid, l.uuid, l.class, l.version, array_to_json(l.readers) as readers,
      case when l.stamp = place.stamp then l.kind else 'superseded' end as kind,
      array_to_json(case when l.created_stamp = place.stamp then '{}' when f.oid is not null then f.readers else l.readers end) as readers_before, f.oid is not null as reveals
    from ${settings} h left join (
      select stamp, oid from unnest(${unseenArray("$1::text[]")}) as listed (name) cross join lateral (
        ${[objects, tombstones, formerReaders].map(heads).join(" union ")}
      ) head
      order by stamp, oid limit ${limit}
    ) place on true
    left join lateral (
      ${last(objects, "'stored'")} union all ${last(tombstones, "case when attributes is null then 'deleted' else 'recycled' end")} limit 1
    ) l on true
    left join lateral (select oid, readers from ${formerReaders} where oid = place.oid and stamp = place.stamp limit 1) f on true
    order by place.stamp, place.oid`;
}
