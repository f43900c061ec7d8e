import type { ClassDefinition } from "@sallyport/core";
import type { Tables } from "../tables.ts";
import type { Migration } from "./migrator.ts";

/** What objects are kept in, the classes that say what they are, and macros. */
export const objects: Migration = {
  name: "0002-objects",
  statements: (tables, classes) => [
    ...model(tables, classes),
    ...present(tables),
    ...tombstoneTable(tables),
    ...beside(tables),
    ...triggers(tables),
    // Otherwise the planner takes it for a large table until it is analyzed.
    `analyze ${tables.links}`,
  ],
};

function model({ classes: table }: Tables, classes: readonly ClassDefinition[]) {
  return [
    `create table ${table} (
      name text collate "C" primary key,
      position bigint generated always as identity,
      definition jsonb not null
    )`,
    {
      text: `insert into ${table} (name, definition)
        select definition ->> 'name', definition
        from jsonb_array_elements($1::jsonb) with ordinality as given (definition, position)
        order by position`,
      values: [JSON.stringify(classes)],
    },
  ];
}

/**
 * The two partial indexes list a class without a look at its rows, and without the readers being part of an index,
 * whose entries may not grow that long. An object is in one of them. New rows get their stamp by default, which costs next to nothing.
 * The function that gives its offset is replaced where a database has come from another server. The constraint is not valid: the database
 * checks every row that is written all the same, and the planner does not look at it.
 */
function present({ objects: table, objectIds, schema, stampOffset }: Tables) {
  return [
    `create function ${stampOffset} () returns bigint language sql stable as 'select (0)::bigint'`,
    `create sequence ${objectIds} maxvalue 3656158440062975`,
    `create table ${table} (
      oid bigint primary key default nextval('"${schema}"."object_ids"'),
      uuid uuid not null unique,
      class text collate "C" not null,
      version integer not null default 1,
      stored_at timestamptz(3) not null,
      readers bigint[],
      attributes jsonb not null,
      bytes integer not null generated always as (octet_length(attributes::text)) stored,
      stamp bigint not null default ${stampOffset}() + txid_current()
    ) with (fillfactor = 90)`,
    `alter table ${table} add constraint objects_size check (bytes <= 1048576) not valid`,
    `alter sequence ${objectIds} owned by ${table}.oid`,
    `create index objects_open on ${table} (class, oid) where readers is null`,
    `create index objects_restricted on ${table} (class, oid) where readers is not null`,
    `create index objects_stamp on ${table} (stamp, oid)`,
  ];
}

/**
 * What is left of objects that are gone: a table of its own, so that what reads live objects neither asks nor meets them. A row keeps
 * attributes if its object can return. Objects that went together can be found by the one that they went with. The recycle bin is listed
 * and counted by who recycled an object.
 */
function tombstoneTable({ tombstones: table, stampOffset }: Tables) {
  return [
    `create table ${table} (
      oid bigint primary key,
      uuid uuid not null unique,
      class text collate "C" not null,
      version integer not null,
      deleted_at timestamptz(3) not null,
      readers bigint[],
      attributes jsonb,
      root bigint not null,
      stamp bigint not null default ${stampOffset}() + txid_current(),
      deleted_by bigint
    )`,
    `create index tombstones_root on ${table} (root) where attributes is not null`,
    `create index tombstones_class on ${table} (class) where attributes is not null`,
    `create index tombstones_stamp on ${table} (stamp, oid)`,
    `create index tombstones_deleted_by on ${table} (deleted_by, deleted_at, oid) where attributes is not null`,
    `create index tombstones_deleted_at on ${table} (deleted_at, oid) where attributes is not null and root = oid`,
  ];
}

/**
 * Links are the ids that attributes hold, as rows that are found by their targets; the second index serves writers.
 * Locks do not refer to sessions: one counts while there is a live session of its digest. The counts of objects have a row for each
 * connection, so that writers do not wait for one another; one row may be negative, their sum is exact.
 */
function beside({ links, locks, objectCounts }: Tables) {
  return [
    `create table ${links} (
      target bigint not null,
      source bigint not null,
      attribute text collate "C" not null,
      primary key (target, source, attribute)
    )`,
    `create index links_source on ${links} (source, attribute)`,
    `create table ${locks} (
      oid bigint primary key,
      session bytea not null check (octet_length(session) = 32),
      since timestamptz not null
    ) with (fillfactor = 80)`,
    `create index locks_session on ${locks} (session)`,
    `create table ${objectCounts} (
      class text collate "C" not null,
      shard integer not null,
      objects bigint not null,
      primary key (class, shard)
    ) with (fillfactor = 20)`,
  ];
}

/**
 * Triggers need their functions before they exist: these placeholders refuse every write until the functions are installed. The table of
 * what was inserted costs more than to count one row: the function that has counted it says so. A condition for stamps would be planned
 * anew for each statement, which takes longer than to call the function.
 */
function triggers({ tombstones, objects: table, schema, stampRow }: Tables) {
  const counting = (name: string) => `"${schema}"."${name}"`;
  const missing = "begin raise exception 'The functions are not installed.'; end";
  return [
    ...["count_added", "count_removed", "count_opened"]
      .map(counting)
      .concat(stampRow)
      .map((name) => `create function ${name} () returns trigger language plpgsql as $$ ${missing} $$`),
    `create trigger count_added after insert on ${table} referencing new table as added
      for each statement when (coalesce(current_setting('sallyport.counted', true), '') <> 'yes') execute function ${counting("count_added")}()`,
    `create trigger count_removed after delete on ${table}
      referencing old table as removed for each statement execute function ${counting("count_removed")}()`,
    `create trigger count_opened after update of readers on ${table} for each row
      when ((old.readers is null) <> (new.readers is null)) execute function ${counting("count_opened")}()`,
    `create trigger objects_stamped before insert or update on ${table} for each row execute function ${stampRow}()`,
    `create trigger tombstones_stamped before insert or update on ${tombstones} for each row execute function ${stampRow}()`,
  ];
}
