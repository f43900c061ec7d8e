import type { Tables } from "../tables.ts";

/**
 * Part of the function that changes objects, when it holds them: of the members of collections that get another list, those stay that
 * the writer cannot mean to take out. They are added to `linked` and to `changes`, so that all that follows takes them for given. Almost
 * always there are none, which is found out by the links alone. What a member is, is asked for one by one: as a join, or as a list of
 * all that are not visible, it could become a look at the whole table.
 */
export function keepMembers({ departures, links, objectNumber, objects }: Tables): string {
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
            (select attributes is not null from ${departures} where oid = k.target)
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
