import type { ClassDefinition } from "@sallyport/storage";
import type { Tables } from "../tables.ts";
import type { Migration } from "../migrator.ts";

/** Options of every table: text comparison by code points, including trailing blanks, identical on every server. */
const tableOptions = "engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_nopad_bin";

/**
 * Objects, their links and locks, and classes. JSON texts of objects are not columns of type `json`, whose check would
 * parse again what the adapter has just written.
 */
export const objects: Migration = {
  name: "0002-objects",
  statements: (tables, definitions) => [
    ...objectsAndLocks(tables),
    ...series(tables),
    links(tables),
    ...model(tables, definitions),
  ],
};

/**
 * `objects_class` lists the objects of a class by number, unrestricted ones apart from restricted ones. Readers are not
 * indexed, because entries are limited in size. The recycle bin is listed and counted by `deleted_by`.
 */
function objectsAndLocks({ tombstones, locks, objects: table }: Tables): string[] {
  const common = `
    oid bigint primary key,
    uuid char(36) character set ascii collate ascii_bin not null,
    class varchar(255) not null,
    version integer not null,
    readers longtext character set ascii collate ascii_bin,
    stamp bigint not null`;
  return [
    `create table if not exists ${table} (${common},
      stored_at bigint not null,
      restricted boolean generated always as (readers is not null) virtual,
      attributes longtext not null,
      bytes int generated always as (octet_length(attributes)) stored,
      unique key objects_uuid (uuid),
      key objects_class (class, restricted, oid),
      key objects_stamp (stamp, oid)
    ) ${tableOptions}`,
    `create table if not exists ${tombstones} (${common},
      deleted_at bigint not null,
      attributes longtext,
      recycled boolean generated always as (attributes is not null) virtual,
      root bigint not null,
      deleted_by bigint,
      unique key tombstones_uuid (uuid),
      key tombstones_root (root),
      key tombstones_class (class, recycled),
      key tombstones_stamp (stamp, oid),
      key tombstones_deleted_by (deleted_by, recycled, deleted_at, oid),
      key tombstones_deleted_at (recycled, deleted_at, oid)
    ) ${tableOptions}`,
    `create table if not exists ${locks} (
      oid bigint primary key,
      session binary(32) not null,
      since bigint not null,
      key locks_session (session)
    ) ${tableOptions}`,
  ];
}

/**
 * Counts cover objects without readers; the visibility of others differs by user. `number` is the last number of an object.
 * The sequence has it as well: a rollback reverts the column, and not the sequence. Writers take the greater one.
 */
function series({ objectCounts, objectNumbers, objectSeries }: Tables): string[] {
  return [
    `create table if not exists ${objectSeries} (
      singleton boolean primary key default true check (singleton),
      stamp bigint not null,
      number bigint not null
    ) ${tableOptions}`,
    `insert into ${objectSeries} (stamp, number) values (0, 0) on duplicate key update singleton = true`,
    `create table if not exists ${objectCounts} (
      class varchar(255) primary key,
      objects bigint not null
    ) ${tableOptions}`,
    `create sequence if not exists ${objectNumbers} minvalue 0 start with 1 nocache engine = InnoDB`,
  ];
}

/** The ids that attributes contain, as rows that can be queried by target. `links_source` serves writers. */
function links({ links: table }: Tables): string {
  return `create table if not exists ${table} (
    target bigint not null,
    source bigint not null,
    attribute varchar(255) not null,
    primary key (target, source, attribute),
    key links_source (source, attribute)
  ) ${tableOptions}`;
}

function model({ classes, valueIndexes }: Tables, definitions: readonly ClassDefinition[]) {
  return [
    `create table if not exists ${classes} (
      name varchar(255) primary key,
      position bigint not null auto_increment,
      definition longtext not null,
      unique key classes_position (position)
    ) ${tableOptions}`,
    {
      sql: `insert into ${classes} (name, definition) values ${definitions.map(() => "(?, ?)").join(", ")} on duplicate key update name = name`,
      values: definitions.flatMap((definition) => [definition.name, JSON.stringify(definition)]),
    },
    `create table if not exists ${valueIndexes} (
      class varchar(255) not null,
      attribute varchar(255) not null,
      type varchar(16) not null,
      primary key (class, attribute, type)
    ) ${tableOptions}`,
  ];
}
