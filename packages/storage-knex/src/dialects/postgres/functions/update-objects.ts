import type { Functions } from "../migrator.ts";
import type { Tables } from "../tables.ts";
import { acceptModel, dropFunction, lockTargets, planOnce, raise, shareModel } from "./writing-steps.ts";

export const updateObjectsFunction: Functions = {
  name: "update_objects",
  number: 3,
  statements: (tables) => [dropFunction(tables.updateObjects), definition(tables), oneDefinition(tables)],
};

/**
 * The version of the function for one object without new links and readers, which almost every request uses. It needs half of the
 * statements: the change itself checks its conditions, also those on a row that another transaction has just changed. A lock is
 * looked up afterwards, as its taker first waits for the row. Which condition has failed is found by the other function.
 */
function oneDefinition(tables: Tables): string {
  const { locks, objects, sessions, settings, updateObject, updateObjects } = tables;
  return `create or replace function ${updateObject} (
    number bigint, changed jsonb, versions bigint[], writer bytea, generation bigint, only_class text, classes text[], principals bigint[], ahead float8,
    out oid bigint, out uuid uuid, out class text, out version integer, out stored_at timestamptz, out readers bigint[], out attributes jsonb
  ) language plpgsql as $$
  #variable_conflict use_column
  declare
    now constant timestamptz := statement_timestamp() + ahead * interval '1 millisecond';
  begin
    ${shareModel(tables)}
    update ${objects} o set version = o.version + 1, stored_at = now, attributes = o.attributes || changed
      where o.oid = number and (versions is null or o.version = any (versions))
        and (only_class is null or o.class = only_class) and (classes is null or o.class = any (classes))
        and (principals is null or o.readers is null or o.readers && principals)
        and (generation is null or generation = (select model_generation from ${settings}))
      returning o.oid, o.uuid, o.class, o.version, o.stored_at, o.readers, o.attributes into $10, $11, $12, $13, $14, $15, $16;
    if not found then
      select o.* into $10, $11, $12, $13, $14, $15, $16 from ${updateObjects} (
        jsonb_build_array(jsonb_build_object('oid', number, 'attributes', changed, 'versions', versions)),
        null, '{}', writer, generation, only_class, classes, principals, ahead
      ) o;
    elsif exists (
      select from ${locks} l join ${sessions} s on s.digest = l.session
      where l.oid = number and l.session is distinct from writer and s.expires_at > now
    ) then
      ${raise("SPLCK", "An object is locked.")};
    end if;
  end
  $$`;
}

/**
 * `changes` is `{oid, attributes, versions}`, with `narrows` and `readers` if they change. `linked` is null or
 * `{source, attribute, targets}` of the set attributes. `targets` are all targets, without duplicates. Null for
 * `only_class`, `classes` or `principals` means no restriction. Rows are locked in ascending order to avoid deadlocks.
 * The result lists its columns: with the row type of the table, a call during a table change fails.
 * `not in` is hashed; for `not exists` the planner, which does not know the sizes, would compare every pair.
 */
function definition(tables: Tables): string {
  const { tombstones, links, locks, objects, sessions, updateObjects } = tables;
  const requested = "jsonb_to_recordset(linked) as l (source bigint, attribute text, targets bigint[])";
  // A trigger runs for each row of a statement that sets readers.
  const update = (readers = "") => `update ${objects} o
      set version = o.version + 1, stored_at = now, attributes = o.attributes || c.attributes${readers}
      from jsonb_to_recordset(changes) as c (oid bigint, attributes jsonb, narrows boolean, readers bigint[])
      where o.oid = any (numbers) and o.oid = c.oid
      returning o.oid, o.uuid, o.class, o.version, o.stored_at, o.readers, o.attributes`;
  return `create function ${updateObjects} (
    changes jsonb, linked jsonb, targets bigint[], writer bytea, generation bigint, only_class text, classes text[], principals bigint[], ahead float8
  ) returns table (oid bigint, uuid uuid, class text, version integer, stored_at timestamptz, readers bigint[], attributes jsonb)
  language plpgsql ${planOnce} as $$
  #variable_conflict use_column
  declare
    now constant timestamptz := statement_timestamp() + ahead * interval '1 millisecond';
    numbers constant bigint[] := array(select (change -> 'oid')::bigint from jsonb_array_elements(changes) as change);
    found bigint;
    kept jsonb;
  begin
    ${acceptModel(tables, "generation")}
    perform from ${objects}
      where oid = any (numbers) and (only_class is null or class = only_class) and (classes is null or class = any (classes))
        and (principals is null or readers is null or readers && principals)
      order by oid for no key update;
    get diagnostics found = row_count;
    if found < cardinality(numbers) then
      if exists (select from ${tombstones} where oid = any (numbers)) then
        ${raise("SP610", "An object is gone.")};
      end if;
      ${raise("SP304", "An object was never there.")};
    end if;
    if exists (
      select from ${locks} l join ${sessions} s on s.digest = l.session
      where l.oid = any (numbers) and l.session is distinct from writer and s.expires_at > now
    ) then
      ${raise("SPLCK", "An object is locked.")};
    end if;
    if exists (
      select from jsonb_to_recordset(changes) as c (oid bigint, versions jsonb) join ${objects} o on o.oid = c.oid
      where o.oid = any (numbers) and not c.versions @> to_jsonb(o.version)
    ) then
      ${raise("SP713", "An object has another version.")};
    end if;
    ${lockTargets(tables, "$3")}
    ${keepMembers(tables)}
    if linked is not null then
      with wanted as materialized (
        select distinct target, l.source, l.attribute from ${requested} cross join unnest(l.targets) as target
      )
      delete from ${links} k using ${requested}
      where k.source = any (numbers) and k.source = l.source and k.attribute = l.attribute
        and (k.target, k.source, k.attribute) not in (select target, source, attribute from wanted);
      insert into ${links} (target, source, attribute)
      select distinct target, l.source, l.attribute from ${requested} cross join unnest(l.targets) as target
      on conflict do nothing;
    end if;
    if jsonb_path_exists(changes, '$[*].narrows') then
      return query ${update(", readers = case when c.narrows then c.readers else o.readers end")};
    else
      return query ${update()};
    end if;
  end
  $$`;
}

/**
 * Part of the function that changes objects, after it has locked them: a replaced collection keeps the members that the
 * writer cannot see and so cannot mean to remove. They are added to `linked` and `changes` as if given. Usually there
 * are none, which the links alone tell. Members are looked up one by one: a join or a list of all invisible objects
 * could scan the whole table.
 */
function keepMembers({ tombstones, links, objectNumber, objects }: Tables): string {
  return `if linked is not null then
      with list as materialized (
        select l.source, l.attribute, l.targets from jsonb_to_recordset(linked) as l (source bigint, attribute text, targets bigint[])
        join jsonb_to_recordset(changes) as c (oid bigint, attributes jsonb) on c.oid = l.source
        join ${objects} o on o.oid = l.source
        where o.oid = any (numbers) and jsonb_typeof(c.attributes -> l.attribute) = 'array' and jsonb_typeof(o.attributes -> l.attribute) = 'array'
      ), given as materialized (
        select target, l.source, l.attribute from list l cross join unnest(l.targets) as target
      ), kept as materialized (
        select k.source, k.attribute, array_agg(k.target) as targets from ${links} k join list l on k.source = l.source and k.attribute = l.attribute
        where k.source = any (numbers)
          and (k.target, k.source, k.attribute) not in (select target, source, attribute from given)
          and coalesce(
            (select class <> all (classes) or not readers && principals from ${objects} where oid = k.target),
            (select attributes is not null from ${tombstones} where oid = k.target)
          )
        group by k.source, k.attribute
      )
      select jsonb_agg(jsonb_build_object('source', k.source, 'attribute', k.attribute, 'targets', k.targets, 'members', (
        select jsonb_agg(member order by place)
        from ${objects} o cross join jsonb_array_elements(o.attributes -> k.attribute) with ordinality as whole (member, place)
        where o.oid = k.source and ${objectNumber}(member #>> '{}') = any (k.targets)
      ))) into kept from kept k;
      if kept is not null then
        linked := linked || kept;
        changes := (
          select jsonb_agg(jsonb_set(change, '{attributes}', change -> 'attributes' || lists)) from (
            select change, coalesce(
              jsonb_object_agg(k.attribute, (change -> 'attributes' -> k.attribute) || k.members) filter (where k.source is not null), '{}'
            ) as lists
            from jsonb_array_elements(changes) as change
            left join jsonb_to_recordset(kept) as k (source bigint, attribute text, members jsonb) on k.source = (change -> 'oid')::bigint
            group by change
          ) merged
        );
      end if;
    end if;`;
}
