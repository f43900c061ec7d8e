import { auditProcedures } from "../functions/audit.ts";
import { channelNumberProcedures, registerBlocksProcedure } from "../functions/channels.ts";
import { openOnBasisProcedures, openSessionProcedure } from "../functions/open-session.ts";
import { admitCallbackProcedure, putRecordProcedure } from "../functions/put-record.ts";
import { removeAccountsProcedure } from "../functions/remove-accounts.ts";
import { throttleProcedures } from "../functions/throttle.ts";
import { access } from "./0001-access.ts";
import { objects as objectTables } from "./0002-objects.ts";
import type { Functions, Migration } from "../migrator.ts";
import { leasesTable } from "../leases.ts";
import type { Tables } from "../tables.ts";

const tableOptions = "engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_nopad_bin";

/**
 * Changes by class, readers of before, and the UUIDs of forgotten objects. The indexes by class replace those over all
 * classes, so that a write maintains no more indexes. A row of former readers is found by its object, in the order of
 * changes, and by its age.
 */
const changes: Migration = {
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

/** The address of the client at the log-in. Servers of an earlier version open sessions without one. */
const sessionAddress: Migration = {
  name: "0004-session-address",
  statements: ({ sessions }) => [`alter table ${sessions} add column if not exists address varchar(64)`],
};

/**
 * Leases, in databases that were migrated under a named lock. A cluster refuses a sequence that caches: each node would
 * issue its own numbers, so that a later record could have a lower version.
 */
const leases: Migration = {
  name: "0005-leases",
  statements: (tables) => [...leasesTable(tables), `alter sequence ${tables.recordVersions} nocache`],
};

/**
 * No index contains a virtual column: while a transaction has changed a row, a read by such an index can end at that row
 * without an error. The index builder drops the virtual columns of value indexes, and builds the indexes again.
 */
const plainColumns: Migration = {
  name: "0006-plain-columns",
  statements: ({ accounts, customAccounts, objects, objectSeries, tombstones, valueColumns, valueIndexes }) => [
    `alter table ${objects}
      drop index if exists objects_class, drop column if exists restricted,
      add column restricted boolean generated always as (readers is not null) stored after stored_at,
      add key objects_class (class, restricted, oid)`,
    `alter table ${tombstones}
      drop index if exists tombstones_class, drop index if exists tombstones_deleted_by,
      drop index if exists tombstones_deleted_at, drop column if exists recycled,
      add column recycled boolean generated always as (attributes is not null) stored after attributes,
      add key tombstones_class (class, recycled),
      add key tombstones_deleted_by (deleted_by, recycled, deleted_at, oid),
      add key tombstones_deleted_at (recycled, deleted_at, oid)`,
    storedNames(accounts, "accounts"),
    storedNames(customAccounts, "custom_accounts"),
    `create table if not exists ${valueColumns} (
      number bigint primary key auto_increment,
      attribute varchar(255) not null,
      type varchar(16) not null,
      expression varchar(2048) not null,
      ready boolean not null default false
    ) ${tableOptions}`,
    `alter table ${objectSeries} add column if not exists value_generation bigint not null default 0`,
    `delete from ${valueIndexes}`,
  ],
};

function storedNames(table: string, name: string): string {
  return `alter table ${table}
    drop index if exists ${name}_login_name, drop index if exists ${name}_confusable_key, drop index if exists ${name}_login_start,
    drop column if exists login_start, drop column if exists login_digest, drop column if exists confusable_digest,
    add column login_start varchar(768) as (left(login_name, 768)) stored after confusable_key,
    add column login_digest binary(32) as (unhex(sha2(login_name, 256))) stored after login_start,
    add column confusable_digest binary(32) as (unhex(sha2(confusable_key, 256))) stored after login_digest,
    add unique key ${name}_login_name (login_digest),
    add unique key ${name}_confusable_key (confusable_digest),
    add key ${name}_login_start (login_start)`;
}

/** The changes that an event tells. Servers of an earlier version write events without them. */
const auditChanges: Migration = {
  name: "0007-audit-changes",
  statements: ({ audit, auditTallies }) =>
    [audit, auditTallies].map(
      (table) => `alter table ${table} add column if not exists changes json not null default '[]'`,
    ),
};

const functions: readonly Functions[] = [
  admitCallbackProcedure,
  auditProcedures,
  channelNumberProcedures,
  registerBlocksProcedure,
  openSessionProcedure,
  openOnBasisProcedures,
  putRecordProcedure,
  removeAccountsProcedure,
  throttleProcedures,
];

/** All migrations, in order. Procedures come last because they depend on the tables of all migrations. */
export const migrations: readonly Migration[] = [
  access,
  objectTables,
  changes,
  sessionAddress,
  leases,
  plainColumns,
  auditChanges,
  ...functions,
];
