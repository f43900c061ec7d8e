import type { Tables } from "../tables.ts";
import { acceptModel, holdTargets, isGiven, planOnce, raise } from "./writing-steps.ts";

/**
 * `asked` are `{uuid, fresh, class, attributes, readers}` in the order of the ids to come, `linked` is null or `{uuid, attribute,
 * targets}` of those, and `targets` are all of these, each once.
 */
export function insertObjectsFunction(tables: Tables): string {
  const { departures, insertObjects, links, objects } = tables;
  const taken = (table: string) =>
    `exists (select from ${table} where uuid in (select (element ->> 'uuid')::uuid from jsonb_array_elements(asked) as element))`;
  const insert = `insert into ${objects} as o (uuid, class, attributes, readers, stored_at)
    select (element ->> 'uuid')::uuid, element ->> 'class', element -> 'attributes',
      case when jsonb_typeof(element -> 'readers') = 'array'
        then array(select reader::bigint from jsonb_array_elements_text(element -> 'readers') as reader) end,
      now
    from jsonb_array_elements(asked) with ordinality as list (element, position)
    order by position
    returning o.*`;
  return `create or replace function ${insertObjects} (asked jsonb, linked jsonb, targets bigint[], generation bigint, ahead float8)
  returns setof ${objects} language plpgsql ${planOnce} as $$
  #variable_conflict use_column
  declare
    now constant timestamptz := statement_timestamp() + ahead * interval '1 millisecond';
    found bigint;
  begin
    ${acceptModel(tables, "generation")}
    ${holdTargets(tables, "$3")}
    if exists (select from jsonb_array_elements(asked) as element where ${isGiven("element")}) then
      if ${taken(objects)} or ${taken(departures)} then
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
