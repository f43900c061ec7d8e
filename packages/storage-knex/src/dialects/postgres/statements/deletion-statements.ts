import { statement } from "../../../sql-runner.ts";
import type { Tables } from "../tables.ts";
import { objectColumns, outlineColumns } from "./object-statements.ts";
import { epochMilliseconds, storageTime, unseen, unseenArray } from "../expressions.ts";
import { writeStamp } from "../stamps.ts";

export type DeletionStatements = ReturnType<typeof deletionStatements>;

export function deletionStatements(tables: Tables) {
  const { tombstones, lockObjects, links, locks, objects, schema, sessions } = tables;
  const listed = unseenArray("$1::bigint[]");
  const attributes = unseen("$2::jsonb");
  // The group of the recycled object with the number in parameter 1.
  const group = `from ${tombstones} d where d.attributes is not null
    and d.root = (select root from ${tombstones} where oid = $1::bigint and attributes is not null)`;
  return {
    /** 1 object numbers, 2 model generation or null. */
    lock: statement("deletion_lock", `select ${lockObjects}($1::bigint[], $2::bigint)`),
    /** 1 object numbers, 2 clock offset. By ascending number. */
    lockedRows: statement(
      "deletion_locked",
      `select ${outlineColumns("o")}, encode(s.digest, 'hex') as locked_by
      from ${objects} o left join ${locks} l on l.oid = o.oid left join ${sessions} s on s.digest = l.session and s.expires_at > ${storageTime(2)}
      where o.oid = any (${listed}) order by o.oid`,
    ),
    /** 1 target numbers, 2 array of `{className, attribute}` or null, 3 limit. */
    referrers: statement(
      "deletion_referrers",
      `select k.source, o.class, k.attribute, k.target from ${links} k join ${objects} o on o.oid = k.source
      where k.target = any (${listed}) and k.source <> all (${listed})
        and (${attributes} is null or ${attributes} @> jsonb_build_array(jsonb_build_object('className', o.class, 'attribute', k.attribute)))
      limit ${unseen("$3::bigint")}`,
    ),
    /** 1 array of `{source, attribute, target, id}`, number and id of the target; 2 clock offset. */
    clear: statement("deletion_clear", clear(tables)),
    /** 1 user number. Serializes recycling for one user. */
    lockQuota: statement(
      "deletion_lock_quota",
      `select pg_advisory_xact_lock(hashtextextended('sallyport:${schema}:recycler:' || $1::bigint, 0))`,
    ),
    /**
     * 1 object numbers, 2 whether they keep their attributes, 3 number of the root, 4 clock offset, 5 user number or
     * null, 6 quota of the user, 0 for none. Answers whether the quota has room for them.
     */
    delete: statement("deletion_delete", deleteObjects(tables)),
    /** 1 and 2 time (milliseconds) and number to start after or null, 3 limit, 4 visible classes or null, 5 principals or null. */
    listRecycled: statement("deletion_list_recycled", listRecycled(tables, "true")),
    /** Like `listRecycled`, with 6 number of the user who recycled them. */
    listRecycledBy: statement("deletion_list_recycled_by", listRecycled(tables, "deleted_by = $6::bigint")),
    /** 1 object numbers, 2 clock offset. */
    purge: statement(
      "deletion_purge",
      `update ${tombstones} set attributes = null, version = version + 1, deleted_at = ${storageTime(2)}
      where oid = any (${listed}) and attributes is not null`,
    ),
    /** 1 object number or null, 2 UUID or null, 3 visible classes or null, 4 principals or null. */
    find: statement(
      "deletion_find",
      `select oid, uuid, class, version, ${epochMilliseconds("deleted_at")} as deleted_at, deleted_by, attributes is not null as recycled
      from ${tombstones}
      where (oid = ${unseen("$1::bigint")} or uuid = ${unseen("$2::uuid")}) and ($3::text[] is null or class = any ($3))
        and (readers is null or $4::bigint[] is null or readers && $4)`,
    ),
    /** 1 object number, 2 model generation or null. */
    lockGroup: statement("deletion_lock_group", `select ${lockObjects}(array(select d.oid ${group}), $2::bigint)`),
    /** 1 object number. By ascending number. */
    group: statement("tombstone_group", `select ${objectColumns("d", "deleted_at")} ${group} order by d.oid`),
    /** 1 object numbers. */
    lockTargets: statement(
      "deletion_lock_targets",
      `select from ${objects} where oid = any (${listed}) order by oid for key share`,
    ),
    /** 1 object numbers. */
    targets: statement(
      "deletion_targets",
      `select oid, class, true as present from ${objects} where oid = any (${listed})
      union all select oid, class, attributes is not null from ${tombstones} where oid = any (${listed})`,
    ),
    /** 1 array of `{oid, attributes}`, 2 array of `{source, attribute, targets}` or null, 3 clock offset. */
    restore: statement("deletion_restore", restore(tables)),
    /** 1 age in milliseconds, 2 limit, 3 clock offset. Returns `count`. */
    sweep: statement("deletion_sweep", sweep(tables)),
  };
}

function listRecycled({ tombstones }: Tables, which: string): string {
  return `select oid, uuid, class, version, ${epochMilliseconds("deleted_at")} as deleted_at, deleted_by
    from ${tombstones}
    where attributes is not null and root = oid and ${which}
      and (deleted_at, oid) < (coalesce(to_timestamp($1::bigint / 1000.0), 'infinity'), coalesce($2::bigint, 0))
      and ($4::text[] is null or class = any ($4)) and (readers is null or $5::bigint[] is null or readers && $5)
    order by deleted_at desc, oid desc limit $3::bigint`;
}

/** Removes the targets from attributes; a collection keeps the others in order. */
function clear({ links, objects }: Tables): string {
  const others = `select coalesce(jsonb_agg(member order by place), '[]')
    from jsonb_array_elements(o.attributes -> l.attribute) with ordinality as list (member, place)
    where not l.ids @> jsonb_build_array(member)`;
  return `with requested as materialized (
    select source, attribute, jsonb_agg(id) as ids, array_agg(target) as targets
    from jsonb_to_recordset($1::jsonb) as l (source bigint, attribute text, target bigint, id text)
    group by source, attribute
  ), unlinked as (
    delete from ${links} k using requested l where k.target = any (l.targets) and k.source = l.source and k.attribute = l.attribute
  )
  update ${objects} o set version = o.version + 1, stored_at = ${storageTime(2)}, attributes = o.attributes || c.cleared
  from (
    select o.oid, jsonb_object_agg(l.attribute, case
      when jsonb_typeof(o.attributes -> l.attribute) = 'array' then (${others})
      when l.ids @> jsonb_build_array(o.attributes -> l.attribute) then 'null'
      else o.attributes -> l.attribute end) as cleared
    from requested l join ${objects} o on o.oid = l.source
    group by o.oid
  ) c
  where o.oid = c.oid`;
}

function deleteObjects({ tombstones, links, locks, objects }: Tables): string {
  const listed = unseenArray("$1::bigint[]");
  const recycled = `select count(*) from (select from ${tombstones} where deleted_by = $5::bigint and attributes is not null limit $6) recycled`;
  return `with quota as materialized (
    select $6::bigint = 0 or (${recycled}) + (select count(*) from ${objects} where oid = any (${listed})) <= $6 as fits
  ), deleted as (
    delete from ${objects} where oid = any (${listed}) and (select fits from quota) returning oid, uuid, class, version, readers, attributes, created_stamp
  ), unlinked as (
    delete from ${links} where source = any (${listed}) and (select fits from quota)
  ), unlocked as (
    delete from ${locks} where oid = any (${listed}) and (select fits from quota)
  ), kept as (
    insert into ${tombstones} (oid, uuid, class, version, deleted_at, readers, attributes, root, deleted_by, created_stamp)
    select oid, uuid, class, version + 1, ${storageTime(4)}, readers, case when $2::boolean then attributes end, $3::bigint, $5, created_stamp from deleted
  )
  select fits from quota`;
}

/** Stores the readers before like a change of readers, see `keepReadersFunction`. */
function restore(tables: Tables): string {
  const { formerReaders, tombstones, links, objects } = tables;
  const stamp = "(select stamp from own)";
  const earlier = `f.oid = b.oid and f.stamp < ${stamp}`;
  return `with own as materialized (
    select ${writeStamp(tables)} as stamp
  ), requested as materialized (
    select oid, attributes from jsonb_to_recordset($1::jsonb) as list (oid bigint, attributes jsonb)
  ), back as (
    delete from ${tombstones} d using requested a where d.oid = a.oid
    returning d.oid, d.uuid, d.class, d.version, d.readers, d.created_stamp, d.attributes || a.attributes as attributes
  ), revealed as materialized (
    select oid, class, readers from back b where created_stamp is distinct from ${stamp}
      and not exists (select from ${formerReaders} f where f.oid = b.oid and f.stamp = ${stamp})
  ), forgotten as (
    delete from ${formerReaders} f using revealed b
    where ${earlier} and (f.readers = '{}' or f.readers <@ b.readers or f.readers is null and b.readers is null)
  ), left_over as (
    update ${formerReaders} f set readers = array(select reader from unnest(f.readers) with ordinality as list (reader, place) where reader <> all (b.readers) order by place)
    from revealed b where ${earlier} and f.readers && b.readers and not f.readers <@ b.readers
  ), kept as (
    insert into ${formerReaders} (oid, stamp, class, readers, changed_at) select oid, ${stamp}, class, readers, ${storageTime(3)} from revealed
  ), linked as (
    insert into ${links} (target, source, attribute)
    select distinct target, source, attribute
    from jsonb_to_recordset($2::jsonb) as l (source bigint, attribute text, targets bigint[]) cross join unnest(l.targets) as target
  )
  insert into ${objects} as o (oid, uuid, class, version, stored_at, readers, attributes, created_stamp)
  select oid, uuid, class, version + 1, ${storageTime(3)}, readers, attributes, null from back
  returning ${objectColumns("o")}`;
}

/**
 * Each part sees the same rows, and none sees the changes of the others. Arrays of keys and places make the planner,
 * which does not know the limit, look rows up one by one.
 */
function sweep({ formerReaders, settings, sweptObjects, tombstones }: Tables): string {
  const until = `${storageTime(3)} - $1::float8 * interval '1 millisecond'`;
  return `with old as materialized (
    select oid from ${tombstones} where attributes is null and deleted_at <= ${until} order by deleted_at, oid limit $2::bigint for update
  ), gone as (
    delete from ${tombstones} where oid = any (array(select oid from old)) returning oid, uuid, stamp
  ), kept as (
    insert into ${sweptObjects} (oid, uuid) select oid, uuid from gone
  ), aged as materialized (
    select ctid as place from ${formerReaders} where changed_at <= ${until} and oid not in (select oid from gone)
    order by changed_at, stamp, oid limit greatest($2::bigint - (select count(*) from gone), 0) for update
  ), forgotten as (
    delete from ${formerReaders} where ctid = any (array(select place from aged)) returning stamp
  ), orphaned as (
    delete from ${formerReaders} where oid = any (array(select oid from gone)) returning stamp
  ), highest as (
    select max(stamp) as stamp from (select stamp from gone union all select stamp from forgotten union all select stamp from orphaned) each
  ), raised as (
    update ${settings} set swept_stamp = highest.stamp from highest where highest.stamp > swept_stamp
  )
  select (select count(*) from gone) + (select count(*) from forgotten) as count`;
}
