import type { ClassDefinition } from "@sallyport/storage";
import type { Tables } from "../tables.ts";
import type { Migration } from "../migrator.ts";

/** Objects, their links and locks, and classes. */
export const objects: Migration = {
  name: "0002-objects",
  statements: (tables, classes) => [
    ...model(tables, classes),
    ...present(tables),
    ...tombstoneTable(tables),
    ...beside(tables),
    ...triggers(tables),
    // Until the first analyze, the planner takes it for a large table.
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
 * The two partial indexes list a class without reading its rows. They do not contain readers, because entries are
 * limited in size. Each object is in one of them. Until `0009-stamp-sequence`, new rows got their stamp by default: an offset plus
 * the number of the transaction. Since then, a trigger stamps every write from a sequence. The constraint is `not
 * valid`: the database still checks every written row, but the planner ignores it. Ids have at most ten digits in base 36.
 */
function present({ objects: table, objectIds, schema }: Tables) {
  return [
    `create function "${schema}"."stamp_offset" () returns bigint language sql stable as 'select (0)::bigint'`,
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
      stamp bigint not null default "${schema}"."stamp_offset"() + txid_current()
    ) with (fillfactor = 90)`,
    `alter table ${table} add constraint objects_size check (bytes <= 1048576) not valid`,
    `alter sequence ${objectIds} owned by ${table}.oid`,
    `create index objects_open on ${table} (class, oid) where readers is null`,
    `create index objects_restricted on ${table} (class, oid) where readers is not null`,
    `create index objects_stamp on ${table} (stamp, oid)`,
  ];
}

/**
 * Tombstones have their own table, so that queries over live objects never read them. A row keeps its attributes if the
 * object can be restored. `root` finds the objects that were deleted together. The recycle bin is listed and counted by
 * `deleted_by`.
 */
function tombstoneTable({ tombstones: table, schema }: Tables) {
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
      stamp bigint not null default "${schema}"."stamp_offset"() + txid_current(),
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
 * Links are the ids that attributes contain, as rows that are found by target; the second index serves writers. Locks have
 * no foreign key to sessions: a lock is valid while a live session has its digest. Object counts are of objects
 * without readers. They have a row per connection, so that writers do not block one another. A row can be negative; the sum is exact.
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
 * Triggers require existing functions: these placeholders refuse every write until the functions are installed. A
 * transition table costs more than counting one row. So the function that inserts one object counts it and sets
 * `sallyport.counted`, which keeps the trigger from running. A condition on stamps would be planned for each statement, which
 * takes longer than calling the function.
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
