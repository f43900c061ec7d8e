import { ownShard } from "../statements/count-shards.ts";
import type { Tables } from "../tables.ts";

/**
 * How many objects without a list of readers each class has, kept by triggers with every write, whatever makes it.
 * Counting the index instead would cost every page of a list more than the page itself, and a tenth of a second for
 * a class of a million. Each connection changes a row of its own, so that writers do not wait for one another; one
 * row may be negative, their sum is exact.
 */
export function objectCounts({ objects, objectCounts: table, schema }: Tables): string[] {
  const name = (what: string) => `"${schema}"."${what}"`;
  const change = (rows: string) => `insert into ${table} as counted (class, shard, objects) ${rows}
    on conflict (class, shard) do update set objects = counted.objects + excluded.objects`;
  const perClass = (sign: string, rows: string) =>
    change(
      `select class, ${ownShard}, ${sign}count(*) from ${rows} where readers is null group by class order by class`,
    );
  const trigger = (what: string, body: string) =>
    `create function ${name(what)}() returns trigger language plpgsql as $$ begin ${body}; return null; end $$`;
  return [
    `create table ${table} (
      class text collate "C" not null,
      shard integer not null,
      objects bigint not null,
      primary key (class, shard)
    ) with (fillfactor = 20)`,
    trigger("count_added", perClass("", "added")),
    trigger("count_removed", perClass("-", "removed")),
    trigger(
      "count_opened",
      change(`values (new.class, ${ownShard}, case when new.readers is null then 1 else -1 end)`),
    ),
    `create trigger count_added after insert on ${objects}
      referencing new table as added for each statement execute function ${name("count_added")}()`,
    `create trigger count_removed after delete on ${objects}
      referencing old table as removed for each statement execute function ${name("count_removed")}()`,
    `create trigger count_opened after update of readers on ${objects} for each row
      when ((old.readers is null) <> (new.readers is null)) execute function ${name("count_opened")}()`,
  ];
}
