import type { Functions } from "../migrator.ts";
import { ownShard } from "../expressions.ts";
import type { Tables } from "../tables.ts";

/**
 * Counts the objects without readers of each class, with triggers on every write. Counting the index instead would cost
 * more than the page of a list itself: a tenth of a second for a class of a million. Each connection has its own row,
 * so that writers do not block one another.
 */
export const objectCountFunctions: Functions = {
  name: "object_counts",
  number: 1,
  statements: (tables) => [
    counting(tables, "count_added", perClass("", "added")),
    counting(tables, "count_removed", perClass("-", "removed")),
    counting(
      tables,
      "count_opened",
      `values (new.class, ${ownShard}, case when new.readers is null then 1 else -1 end)`,
    ),
  ],
};

function counting({ objectCounts: table, schema }: Tables, name: string, rows: string): string {
  return `create or replace function "${schema}"."${name}"() returns trigger language plpgsql as $$ begin insert into ${table} as counted (class, shard, objects) ${rows}
    on conflict (class, shard) do update set objects = counted.objects + excluded.objects; return null; end $$`;
}

function perClass(sign: string, rows: string): string {
  return `select class, ${ownShard}, ${sign}count(*) from ${rows} where readers is null group by class order by class`;
}

export const keepReadersFunction: Functions = {
  name: "keep_readers",
  number: 1,
  statements: (tables) => [keeping(tables)],
};

/**
 * A trigger function that stores the readers of an object before a transaction changes them, unless it has created the
 * object. Earlier rows keep only other readers, so that each reader is in the last row that ended the reader's access,
 * and the rows of an object never hold more readers than it had.
 */
function keeping({ formerReaders, keepReaders }: Tables): string {
  const isKept = `exists (select from ${formerReaders} where oid = new.oid and stamp = new.stamp)`;
  return `create or replace function ${keepReaders} () returns trigger language plpgsql as $$
  begin
    if old.created_stamp = new.stamp or ${isKept} then
      return null;
    end if;
    delete from ${formerReaders}
      where oid = new.oid and (readers = '{}' or readers <@ old.readers or readers is null and old.readers is null);
    update ${formerReaders} set readers = array(select reader from unnest(readers) with ordinality as list (reader, place) where reader <> all (old.readers) order by place)
      where oid = new.oid and readers && old.readers;
    insert into ${formerReaders} (oid, stamp, class, readers, changed_at) values (new.oid, new.stamp, new.class, old.readers, new.stored_at);
    return null;
  end
  $$`;
}

/** Functions that parse object ids in values. */
export const objectIdFunctions: Functions = {
  name: "object_ids",
  number: 1,
  statements: (tables) => [linkedObjectsFunction(tables), objectNumberFunction(tables)],
};

/**
 * The numbers of the objects whose ids are values of the attributes, see `objectNumber` of the domain. A reference is
 * an id as text, a collection an array of ids. Only the text between quotation marks can be an id.
 */
function linkedObjectsFunction({ linkedObjects: name }: Tables): string {
  return `create or replace function ${name} (attributes jsonb, links text[]) returns bigint[] language plpgsql immutable as $$
  declare
    numbers bigint[] := '{}';
    link text;
    id text;
    number bigint;
  begin
    foreach link in array links loop
      continue when not attributes ? link or jsonb_typeof(attributes -> link) not in ('string', 'array');
      foreach id in array string_to_array(replace((attributes -> link)::text, '\\"', '_'), '"') loop
        continue when id !~ '^[1-9A-Z][0-9A-Z]{0,9}$';
        number := 0;
        for place in 1 .. length(id) loop
          number := number * 36 + strpos('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', substr(id, place, 1)) - 1;
        end loop;
        numbers := numbers || number;
      end loop;
    end loop;
    return numbers;
  end
  $$`;
}

/**
 * The number of an object id, see `objectNumber` of the domain; null for an invalid id. Queries over references compute
 * it for every object, and a regular expression would take as long as the rest. An invalid digit makes the sum null
 * instead.
 */
function objectNumberFunction({ objectNumber: name }: Tables): string {
  return `create or replace function ${name} (id text) returns bigint language plpgsql immutable strict parallel safe as $$
  declare
    number bigint := nullif(strpos('123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', left(id, 1)), 0);
  begin
    if length(id) not between 1 and 10 then return null; end if;
    for place in 2 .. length(id) loop
      number := number * 36 + nullif(strpos('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', substr(id, place, 1)), 0) - 1;
    end loop;
    return number;
  end
  $$`;
}
