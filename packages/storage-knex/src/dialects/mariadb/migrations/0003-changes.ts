import type { Tables } from "../tables.ts";
import type { Migration } from "./migrator.ts";

const tableOptions = "engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_nopad_bin";

/**
 * Changes by class, readers of before, and the UUIDs of forgotten objects. The indexes by class replace those over all
 * classes, so that a write maintains no more indexes. A row of former readers is found by its object, in the order of
 * changes, and by its age.
 */
export const changes: Migration = {
  name: "0003-changes",
  statements: ({ formerReaders, objects, settings, sweptObjects, tombstones }: Tables) => [
    `alter table ${objects} add column if not exists created_stamp bigint`,
    `alter table ${tombstones} add column if not exists created_stamp bigint`,
    `create index if not exists objects_changes on ${objects} (class, stamp, oid)`,
    `create index if not exists tombstones_changes on ${tombstones} (class, stamp, oid)`,
    `drop index if exists objects_stamp on ${objects}`,
    `drop index if exists tombstones_stamp on ${tombstones}`,
    `create table if not exists ${formerReaders} (
      oid bigint not null,
      stamp bigint not null,
      class varchar(255) not null,
      readers longtext character set ascii collate ascii_bin,
      changed_at bigint not null,
      primary key (oid, stamp),
      key former_readers_changes (class, stamp, oid),
      key former_readers_age (changed_at, stamp, oid)
    ) ${tableOptions}`,
    `create table if not exists ${sweptObjects} (
      oid bigint primary key,
      uuid char(36) character set ascii collate ascii_bin not null,
      unique key swept_objects_uuid (uuid)
    ) ${tableOptions}`,
    `alter table ${settings} add column if not exists swept_stamp bigint not null default 0`,
  ],
};
