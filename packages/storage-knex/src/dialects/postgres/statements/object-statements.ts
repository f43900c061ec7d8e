import { type Statement, statement } from "../../../statement.ts";
import type { Tables } from "../tables.ts";
import { objectColumns } from "./object-columns.ts";
import { epochMilliseconds, storageTime } from "./storage-time.ts";

/**
 * Where visible classes or principals are a parameter, null means that they do not count.
 *
 * The texts leave the planner no better idea for particular parameters than for any: then it soon stops to plan for
 * every call, which took as long as the work itself. And none of them lets it think of reading rows of other classes.
 */
export interface ObjectStatements {
  /** 1 object number, 2 visible classes, 3 principals. */
  readonly getOne: Statement;
  /** 1 object numbers, 2 visible classes, 3 principals. */
  readonly getSeveral: Statement;
  /** 1 UUID, 2 visible classes, 3 principals. */
  readonly getByUuid: Statement;
  /** 1 class, 2 principals, 3 offset, 4 limit; for pages near the beginning. */
  readonly findNear: Statement;
  /** 1 class, 2 principals, 3 offset, 4 limit; for any page. */
  readonly findInOne: Statement;
  /** 1 classes, 2 principals, 3 offset, 4 limit. */
  readonly findInSeveral: Statement;
  /** 1 classes, 2 principals. */
  readonly count: Statement;
  /** 1 array of `{uuid, class, attributes, readers}`, 2 offset of the clock. Inserts nothing when a UUID is in use. */
  readonly insert: Statement;
}

export interface ObjectRow {
  readonly oid: string;
  readonly uuid: string;
  readonly class: string;
  readonly version: number;
  readonly stored_at: string;
  readonly readers: number[] | null;
  readonly attributes: { readonly [name: string]: never };
}

export function objectStatements(tables: Tables): ObjectStatements {
  const { objects } = tables;
  const get = (name: string, selection: string) =>
    statement(
      name,
      `select ${objectColumns("o")} from ${objects} o
      where ${selection} and ($2::text[] is null or o.class = any ($2)) and ${readable("o", "$3")}`,
    );
  return {
    getOne: get("object_get", "o.oid = $1::bigint"),
    getSeveral: get("object_get_several", "o.oid = any (array(select unnest($1::bigint[])))"),
    getByUuid: get("object_get_by_uuid", "o.uuid = $1::uuid"),
    findNear: statement("object_find_near", findNear(tables)),
    findInOne: statement("object_find", find(tables, `select oid from (${visible(tables, "$1::text")}) part order by class, oid`)),
    findInSeveral: statement(
      "object_find_several",
      find(
        tables,
        `select oid from unnest(array(select unnest($1::text[]))) as asked (class)
        cross join lateral (${visible(tables, "asked.class")}) part order by oid`,
      ),
    ),
    count: statement(
      "object_count",
      `select (select coalesce(sum(objects), 0) from ${tables.objectCounts} where class = any ($1::text[]))
        + (select count(*) from ${objects} where class = any ($1::text[]) and readers is not null and ($2::bigint[] is null or readers && $2))
        as count`,
    ),
    insert: statement("object_insert", insert(tables)),
  };
}

function readable(o: string, principals: string): string {
  return `(${o}.readers is null or ${principals}::bigint[] is null or ${o}.readers && ${principals})`;
}

/**
 * The first visible ids of one class, as many as a page and what lies before it can need: one index each. The class is
 * compared as a range, because the order by class and id is then one that only these indexes have.
 */
function visible({ objects }: Tables, className: string): string {
  return heads(objects, className, "class, oid");
}

/** The same with the whole rows: it reads those before the page, too, which for a few is cheaper than to look each row of the page up. */
function findNear({ objects }: Tables): string {
  return `select ${objectColumns("o")} from (${heads(objects, "$1::text", "*")}) o order by o.class, o.oid offset $3::bigint limit $4::bigint`;
}

function heads(objects: string, className: string, selected: string): string {
  const part = (condition: string) => `(select ${selected} from ${objects}
    where class >= ${className} and class <= ${className} and ${condition}
    order by class, oid limit $3::bigint + $4::bigint)`;
  return `${part("readers is null")} union all ${part("readers is not null and ($2::bigint[] is null or readers && $2)")}`;
}

/** The page is cut from the indexes alone, rows are read for the page only. An array of ids never becomes a join with the table. */
function find({ objects }: Tables, ids: string): string {
  return `select ${objectColumns("o")} from ${objects} o
    where o.oid = any (array(${ids} offset $3::bigint limit $4::bigint))
    order by o.oid`;
}

function insert({ objects }: Tables): string {
  return `with asked as materialized (
    select (element ->> 'uuid')::uuid as uuid, element ->> 'class' as class, element -> 'attributes' as attributes,
      case when jsonb_typeof(element -> 'readers') = 'array'
        then array(select reader::bigint from jsonb_array_elements_text(element -> 'readers') as reader) end as readers,
      position
    from jsonb_array_elements($1::jsonb) with ordinality as list (element, position)
  )
  insert into ${objects} as o (uuid, class, attributes, readers, stored_at)
  select uuid, class, attributes, readers, ${storageTime(2)} from asked
  where not exists (select from ${objects} where uuid in (select uuid from asked))
  order by position
  returning o.oid, o.uuid, o.version, ${epochMilliseconds("o.stored_at")} as stored_at`;
}
