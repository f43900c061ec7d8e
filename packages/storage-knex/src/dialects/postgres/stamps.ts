import { type Statement, statement } from "../../statement.ts";
import type { Run } from "./connection.ts";
import type { Functions } from "./migrations/migrator.ts";
import type { Tables } from "./tables.ts";

/**
 * The stamp of a write: the transaction id, unique on the server, plus the offset of this database. The offset is above
 * 0 if rows have higher stamps from another server.
 */
export function writeStamp({ stampOffset }: Tables): string {
  return `${stampOffset}() + txid_current()`;
}

/** The lowest stamp that can still appear. Transactions of the whole server count; read-only ones have no id. */
export function lowestOpenStamp({ stampOffset }: Tables): string {
  return `${stampOffset}() + txid_snapshot_xmin(txid_current_snapshot())`;
}

/** The lowest stamp that is not yet issued. */
function nextStamp({ stampOffset }: Tables): string {
  return `${stampOffset}() + txid_snapshot_xmax(txid_current_snapshot())`;
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

/**
 * Whether rows have stamps that this server has not issued yet: they come from another server, or from before a
 * reinstallation. Readers that are further ahead would miss new writes.
 */
export async function stampsAreAhead(run: Run, tables: Tables): Promise<boolean> {
  const { rows } = await run<{ ahead: boolean }>({
    text: `select ${highestStamp(tables)} >= ${nextStamp(tables)} as ahead`,
  });
  return rows[0]?.ahead === true;
}

/**
 * Raises the offset so that new stamps exceed all existing ones, and skips some more. Blocks writers of objects until the
 * transaction ends. Transactions that began before it also get higher stamps.
 */
export async function raiseStamps(run: Run, tables: Tables, skipped = 0): Promise<void> {
  if (skipped === 0 && !(await stampsAreAhead(run, tables))) return;
  await run({ text: `lock table ${tables.objects}, ${tables.tombstones} in share row exclusive mode` });
  const { rows } = await run<{ missing: string; offset: string }>({
    text: `select greatest(${highestStamp(tables)} + 1 - (${lowestOpenStamp(tables)}), 0) + ${skipped} as missing, ${tables.stampOffset}() as offset`,
  });
  const [found] = rows as [{ missing: string; offset: string }];
  const offset = BigInt(found.offset) + BigInt(found.missing);
  // The function is the only place of the offset. Inlined, it costs no more than a literal.
  await run({
    text: `create or replace function ${tables.stampOffset} () returns bigint language sql stable as 'select (${offset})::bigint'`,
  });
}

export const stampRowFunction: Functions = {
  name: "stamp_row",
  number: 1,
  statements: (tables) => [definition(tables)],
};

/** A trigger function that sets the stamp on every write of a row. */
function definition(tables: Tables): string {
  return `create or replace function ${tables.stampRow} () returns trigger language plpgsql as $$
  begin
    new.stamp := ${writeStamp(tables)};
    return new;
  end
  $$`;
}

export function changeStatements(tables: Tables) {
  const reads = new Map<number, Statement>();
  return {
    // Capped at the highest existing stamp, so that a restored copy of the database can tell how far readers have come.
    watermark: statement(
      "change_watermark",
      `select least(${lowestOpenStamp(tables)} - 1, ${highestStamp(tables)}) as watermark`,
    ),
    /**
     * The statement for at most `limit` changes or a few more. 1 classes, 2 and 3 stamp and object number to start after,
     * 4 highest stamp. The limit is a literal, rounded up to a quarter of a power of two, and the classes are a query, so that
     * estimates do not depend on parameters. Otherwise the planner would plan each call, which takes as long as the call.
     */
    read(limit: number): Statement {
      const step = 2 ** Math.max(0, Math.floor(Math.log2(Math.max(limit, 1))) - 2);
      const rounded = Math.ceil(limit / step) * step;
      const known = reads.get(rounded) ?? statement("change_read", read(tables, rounded));
      reads.set(rounded, known);
      return known;
    },
  };
}

/**
 * Reads the places of the page from the index of each class alone, then their rows one by one. The planner does not know
 * the limit and would read whole tables for a join.
 */
function read({ formerReaders, objects, settings, tombstones }: Tables, limit: number): string {
  const heads = (table: string) => `(select stamp, oid from ${table}
      where class = listed.name and (stamp, oid) > ($2::bigint, $3::bigint) and stamp <= $4::bigint order by stamp, oid limit ${limit})`;
  const last = (table: string, kind: string) =>
    `(select uuid, class, version, readers, stamp, created_stamp, ${kind} as kind from ${table} where oid = place.oid)`;
  return `select swept_stamp as swept, place.stamp, place.oid, l.uuid, l.class, l.version, array_to_json(l.readers) as readers,
      case when l.stamp = place.stamp then l.kind else 'superseded' end as kind,
      array_to_json(case when l.created_stamp = place.stamp then '{}' when f.oid is not null then f.readers else l.readers end) as readers_before, f.oid is not null as reveals
    from ${settings} h left join (
      select stamp, oid from unnest(array(select unnest($1::text[]))) as listed (name) cross join lateral (
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
