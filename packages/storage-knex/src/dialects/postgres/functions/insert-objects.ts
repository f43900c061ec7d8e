import { ownShard } from "../expressions.ts";
import type { Functions } from "../migrator.ts";
import type { Tables } from "../tables.ts";
import { acceptModel, dropFunction, isGiven, lockTargets, planOnce, raise } from "./writing-steps.ts";

/** Tells the trigger that the inserted rows are counted already. A `set` clause in the function definition would require a superuser. */
const setCounted = (word: string) => `set_config('sallyport.counted', '${word}', true)`;

export const insertFunctions: Functions = {
  name: "insert_objects",
  number: 3,
  statements: (tables) => [
    dropFunction(tables.insertObjects),
    insertObjectsFunction(tables),
    insertObjectFunction(tables),
  ],
};

/**
 * `requested` is `{uuid, fresh, class, attributes, readers}` in the order of the new ids. `linked` is null or `{uuid,
 * attribute, targets}`. `targets` are all targets, without duplicates.
 */
function insertObjectsFunction(tables: Tables): string {
  const { tombstones, insertObjects, links, objects, sweptObjects } = tables;
  const taken = (table: string) =>
    `exists (select from ${table} where uuid in (select (element ->> 'uuid')::uuid from jsonb_array_elements(requested) as element))`;
  const insert = `insert into ${objects} as o (uuid, class, attributes, readers, stored_at)
    select (element ->> 'uuid')::uuid, element ->> 'class', element -> 'attributes',
      case when jsonb_typeof(element -> 'readers') = 'array'
        then array(select reader::bigint from jsonb_array_elements_text(element -> 'readers') as reader) end,
      now
    from jsonb_array_elements(requested) with ordinality as list (element, position)
    order by position
    returning o.oid, o.uuid, o.version, o.stored_at`;
  return `create function ${insertObjects} (requested jsonb, linked jsonb, targets bigint[], generation bigint, ahead float8)
  returns table (oid bigint, uuid uuid, version integer, stored_at timestamptz) language plpgsql ${planOnce} as $$
  #variable_conflict use_column
  declare
    now constant timestamptz := statement_timestamp() + ahead * interval '1 millisecond';
    found bigint;
  begin
    ${acceptModel(tables, "generation")}
    ${lockTargets(tables, "$3")}
    if exists (select from jsonb_array_elements(requested) as element where ${isGiven("element")}) then
      if ${taken(objects)} or ${taken(tombstones)} or ${taken(sweptObjects)} then
        ${raise("SPUID", "Another object has the UUID.")};
      end if;
    end if;
    if linked is null then
      return query ${insert};
    else
      return query with added as (${insert}), written as (
        insert into ${links} (target, source, attribute)
        select distinct target, a.oid, l.attribute
        from jsonb_to_recordset(linked) as l (uuid uuid, attribute text, targets bigint[])
        join added a on a.uuid = l.uuid cross join unnest(l.targets) as target
      )
      select * from added;
    end if;
  end
  $$`;
}

/**
 * The version of the function for one object, which almost every request uses: without lists and with a simple
 * increment, it saves a quarter of the server's time. The unique index covers live objects. A separate condition checks
 * tombstones, because a combined one would run a query each time.
 */
function insertObjectFunction(tables: Tables): string {
  const { tombstones, insertObject, links, objectCounts, objects, sweptObjects } = tables;
  return `create or replace function ${insertObject} (
    requested jsonb, linked jsonb, targets bigint[], generation bigint, ahead float8,
    out oid bigint, out uuid uuid, out version integer, out stored_at timestamptz
  ) language plpgsql ${planOnce} as $$
  #variable_conflict use_column
  declare
    now constant timestamptz := statement_timestamp() + ahead * interval '1 millisecond';
    kind constant text := requested ->> 'class';
    given constant uuid := requested ->> 'uuid';
    restricted bigint[];
    found bigint;
    setting text;
  begin
    ${acceptModel(tables, "generation")}
    ${lockTargets(tables, "$3")}
    if ${isGiven("requested")} then
      if exists (select from ${tombstones} where uuid = given) then
        ${raise("SPUID", "Another object has the UUID.")};
      end if;
      -- After the tombstone, which a sweep can replace at any time.
      if exists (select from ${sweptObjects} where uuid = given) then
        ${raise("SPUID", "Another object has the UUID.")};
      end if;
    end if;
    if jsonb_typeof(requested -> 'readers') = 'array' then
      restricted := array(select reader::bigint from jsonb_array_elements_text(requested -> 'readers') as reader);
    end if;
    setting := ${setCounted("yes")};
    insert into ${objects} as o (uuid, class, attributes, readers, stored_at) values (given, kind, requested -> 'attributes', restricted, now)
      returning o.oid, o.uuid, o.version, o.stored_at into $6, $7, $8, $9;
    setting := ${setCounted("")};
    if linked is not null then
      insert into ${links} (target, source, attribute)
        select distinct target, $6, l.attribute
        from jsonb_to_recordset(linked) as l (attribute text, targets bigint[]) cross join unnest(l.targets) as target;
    end if;
    if restricted is null then
      update ${objectCounts} set objects = objects + 1 where class = kind and shard = ${ownShard};
      get diagnostics found = row_count;
      if found = 0 then
        insert into ${objectCounts} as counted (class, shard, objects) values (kind, ${ownShard}, 1)
          on conflict (class, shard) do update set objects = counted.objects + 1;
      end if;
    end if;
  end
  $$`;
}
