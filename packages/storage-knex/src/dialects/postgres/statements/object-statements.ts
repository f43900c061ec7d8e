import { statement } from "../../../sql-runner.ts";
import type { Tables } from "../tables.ts";
import { epochMilliseconds, fastMilliseconds, modelLock, unseenArray } from "../expressions.ts";

const severalIds = `o.oid = any (${unseenArray("$1::bigint[]")})`;

export type ObjectStatements = ReturnType<typeof objectStatements>;

/**
 * Null for visible classes or principals means no restriction. Statements with a byte limit return
 * `PageRow`s, see `pageOf`.
 *
 * The texts give the planner no reason for a custom plan, so that it soon stops replanning, which took as long as the
 * work itself. They also keep it from reading rows of other classes.
 */
export function objectStatements(tables: Tables) {
  const { objects } = tables;
  const classes = unseenArray("$1::text[]");
  const got = (selection: string, columns: string) => `select ${columns} from ${objects} o
      where ${selection} and ($2::text[] is null or o.class = any ($2)) and ${readable("o", "$3")}`;
  const get = (name: string, selection: string, columns = objectColumns("o")) =>
    statement(name, got(selection, columns));
  const getPage = (name: string, selection: string) =>
    statement(name, pageOf(got(selection, measuredColumns("o")), "$4::bigint"));
  return {
    /** 1 object number, 2 visible classes, 3 principals. One object has at most a megabyte. */
    getOne: { ...get("object_get", "o.oid = $1::bigint"), batchable: true as const },
    /** 1 object numbers, 2 visible classes, 3 principals, 4 bytes. */
    getSeveral: getPage("object_get_several", severalIds),
    /** 1 object numbers, 2 visible classes, 3 principals. */
    outlines: get("object_outlines", severalIds, outlineColumns("o")),
    /** 1 UUID, 2 visible classes, 3 principals. */
    getByUuid: get("object_get_by_uuid", "o.uuid = $1::uuid"),
    /** 1 UUIDs, 2 visible classes, 3 principals, 4 bytes. */
    getByUuids: getPage("object_get_by_uuids", `o.uuid = any (${unseenArray("$1::uuid[]")})`),
    /** 1 class, 2 principals, 3 offset, 4 limit, 5 bytes; for small offsets. */
    findNear: statement("object_find_near", findNear(tables)),
    /** 1 class, 2 principals, 3 offset, 4 limit, 5 bytes; for any page. */
    findInOne: statement(
      "object_find",
      find(tables, `select oid from (${visible(tables, "$1::text")}) part order by class, oid`),
    ),
    /** 1 classes, 2 principals, 3 offset, 4 limit, 5 bytes. */
    findInSeveral: statement(
      "object_find_several",
      find(
        tables,
        `select oid from unnest(${unseenArray("$1::text[]")}) as requested (class)
        cross join lateral (${visible(tables, "requested.class")}) part order by oid`,
      ),
    ),
    /** 1 classes, 2 principals. */
    count: statement(
      "object_count",
      `select (select coalesce(sum(objects), 0) from ${tables.objectCounts} where class = any (${classes}))
        + (select count(*) from ${objects} where class = any (${classes}) and readers is not null and ($2::bigint[] is null or readers && $2))
        as count`,
    ),
    /** 1 classes, 2 principals. */
    countRecycled: statement(
      "object_count_recycled",
      `select count(*) as count from ${tables.tombstones}
        where class = any (${classes}) and attributes is not null and (readers is null or $2::bigint[] is null or readers && $2)`,
    ),
    /** The first statement of every writer of objects. */
    shareModel: statement("model_share", `select pg_advisory_xact_lock_shared(${modelLock(tables)})`),
    /** 1 object numbers. Locks in ascending order to avoid deadlocks. */
    lock: statement(
      "object_lock",
      `select count(*) from (
        select from ${objects} o where ${severalIds} order by o.oid for no key update
      ) locked`,
    ),
    /** 1 array of `{uuid, fresh, class, attributes, readers}`, 2 array of `{uuid, attribute, targets}` or null, 3 all targets, 4 model generation or null, 5 clock offset. */
    insert: statement("object_insert", inserted(tables.insertObjects)),
    /** Like `insert`, for one object that is not in an array. */
    insertOne: statement("object_insert_one", inserted(tables.insertObject)),
    /**
     * 1 array of `{oid, attributes, versions}`, 2 array of `{source, attribute, targets}` or null, 3 all targets, 4 session digest or
     * null, 5 model generation or null, 6 class or null, 7 visible classes, 8 principals, 9 clock offset.
     */
    update: statement(
      "object_update",
      `select ${objectColumns("o")} from ${tables.updateObjects}($1::jsonb, $2::jsonb, $3::bigint[], $4::bytea, $5::bigint, $6::text, $7::text[], $8::bigint[], $9::float8) o`,
    ),
    /**
     * Like `update`, for one object without new links and readers. 1 object number, 2 attributes, 3 versions or null, 4 session digest
     * or null, 5 model generation or null, 6 class or null, 7 visible classes, 8 principals, 9 clock offset.
     */
    updateOne: statement(
      "object_update_one",
      `select ${objectColumns("o")} from ${tables.updateObject}($1::bigint, $2::jsonb, $3::bigint[], $4::bytea, $5::bigint, $6::text, $7::text[], $8::bigint[], $9::float8) o`,
    ),
  };
}

function inserted(insert: string): string {
  return `select o.oid, o.uuid, o.version, ${epochMilliseconds("o.stored_at")} as stored_at
    from ${insert}($1::jsonb, $2::jsonb, $3::bigint[], $4::bigint, $5::float8) o`;
}

function readable(o: string, principals: string): string {
  return `(${o}.readers is null or ${principals}::bigint[] is null or ${o}.readers && ${principals})`;
}

/**
 * The first visible ids of one class, up to the end of the page, from one index each. The class is compared as a range,
 * so that only these indexes give the order by class and id.
 */
function visible({ objects }: Tables, className: string): string {
  return firstOfClass(objects, className, "class, oid");
}

/** Like `find`, with whole rows: for a small offset, reading the skipped rows costs less than looking up each row of the page. */
function findNear({ objects }: Tables): string {
  const page = `select o.* from (${firstOfClass(objects, "$1::text", "*")}) o order by o.class, o.oid offset $3::bigint limit $4::bigint`;
  return pageOf(
    `select ${measuredColumns("o")} from (${page}) o order by o.class, o.oid limit $4::bigint`,
    "$5::bigint",
  );
}

function firstOfClass(objects: string, className: string, selected: string): string {
  const part = (condition: string) => `(select ${selected} from ${objects}
    where class >= ${className} and class <= ${className} and ${condition}
    order by class, oid limit $3::bigint + $4::bigint)`;
  return `${part("readers is null")} union all ${part("readers is not null and ($2::bigint[] is null or readers && $2)")}`;
}

/** The page is cut from the indexes alone; rows are read only for the page. An array of ids never becomes a join with the table. */
function find({ objects }: Tables, ids: string): string {
  const page = `select ${measuredColumns("o")} from ${objects} o
    where o.oid = any (array(${ids} offset $3::bigint limit $4::bigint))
    order by o.oid limit $4::bigint`;
  return pageOf(page, "$5::bigint");
}

/** The columns of a page for `pageOf`. */
export function measuredColumns(o: string): string {
  return `${o}.*, sum(${o}.bytes) over () as total, count(*) over () as page_objects`;
}

/** Like `measuredColumns`, with the attributes of `cutTexts`. */
export function cutColumns(o: string): string {
  const columns = ["oid", "uuid", "class", "version", "stored_at", "readers"].map((name) => `${o}.${name}`);
  return `${columns.join(", ")}, shown.attributes, sum(shown.bytes) over () as total, count(*) over () as page_objects`;
}

/**
 * Joins the attributes of each object, `shown`, in which the beginnings stand for long texts. `characters` and `texts` are the
 * parameters of their length and names. A value is read once, and a small object not at all.
 */
export function cutTexts(o: string, characters: string, texts: string): string {
  const isLong = `jsonb_typeof(value) = 'string' and name = any (${texts}) and length(value #>> '{}') > ${characters}`;
  const beginning = `jsonb_build_object('~Cut'::text, left(value #>> '{}', ${characters}), '~Length'::text, length(value #>> '{}'))`;
  const short = `select case when ${o}.bytes > ${characters} then (
      select jsonb_object_agg(name, case when ${isLong} then ${beginning} else value end)
      from jsonb_each(${o}.attributes) as member (name, value)
    ) end as attributes`;
  return `cross join lateral (
    select coalesce(short.attributes, ${o}.attributes) as attributes,
      coalesce(octet_length(short.attributes::text), ${o}.bytes) as bytes
    from (${short}) short
  ) shown`;
}

/**
 * The `PageRow`s of the objects of a page in its order, see `objectsOfPage`. A limit keeps that order even from parallel
 * workers. `more`: further columns. If the attributes exceed `bytes` in total, they are not even detoasted.
 */
export function pageOf(page: string, bytes: string, more = ""): string {
  const line = `concat_ws(' ', o.oid, o.version, ${fastMilliseconds("o.stored_at")}, o.uuid, coalesce(array_to_string(o.readers, ','), '-'), o.attributes)`;
  return `select o.class, case when o.total <= ${bytes} then ${line} end as line${more} from (${page}) o`;
}

/** The columns of an `ObjectRow`, under this table alias. */
export function objectColumns(o: string, storedAt = "stored_at"): string {
  return `${beside(o, storedAt)}, ${o}.attributes`;
}

/**
 * Like `objectColumns`, but all attributes are null if they exceed this many bytes in total. Then they are not even
 * detoasted. See `requireObjects`.
 */
export function boundedColumns(o: string, bytes: string): string {
  return `${beside(o, "stored_at")}, case when sum(${o}.bytes) over () <= ${bytes} then ${o}.attributes end as attributes`;
}

function beside(o: string, storedAt: string): string {
  return `${o}.oid, ${o}.uuid, ${o}.class, ${o}.version, ${epochMilliseconds(`${o}.${storedAt}`)} as stored_at, array_to_json(${o}.readers) as readers`;
}

/** The columns of an `OutlineRow`. */
export function outlineColumns(o: string): string {
  return `${o}.oid, ${o}.uuid, ${o}.class, ${o}.version, ${epochMilliseconds(`${o}.stored_at`)} as stored_at, ${o}.bytes`;
}
