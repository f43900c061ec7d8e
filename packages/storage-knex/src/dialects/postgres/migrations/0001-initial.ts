import type { ClassDefinition } from "@sallyport/core";
import type { Query } from "../connection.ts";
import { countShards } from "../statements/count-shards.ts";
import type { Tables } from "../tables.ts";
import type { Migration } from "./migration.ts";
import { objectCounts } from "./object-counts.ts";

/**
 * Text is compared by its bytes (`collate "C"`): exact, the same on every server, and not at the mercy of the
 * collations of an operating system.
 */
export const initial: Migration = {
  name: "0001-initial",
  statements: (tables, definitions) => [
    ...administration(tables),
    ...accounts(tables),
    ...sessions(tables),
    ...objects(tables, definitions),
    ...objectCounts(tables),
    ...records(tables),
    ...statistics(tables),
  ],
};

function administration({ settings: table, appKeys, applications }: Tables): string[] {
  return [
    `create table ${table} (
      singleton boolean primary key default true check (singleton),
      maintenance boolean not null default false,
      model_generation bigint not null default 1
    ) with (fillfactor = 50)`,
    `insert into ${table} default values`,
    `create table ${appKeys} (
      id text collate "C" primary key,
      name text collate "C" not null unique,
      digest bytea not null unique check (octet_length(digest) = 32),
      enabled boolean not null default true,
      app_names jsonb,
      origins jsonb not null
    )`,
    `create table ${applications} (
      name text collate "C" primary key,
      seats integer check (seats >= 0)
    )`,
  ];
}

function accounts({ accounts: table }: Tables): string[] {
  return [
    `create table ${table} (
      user_id bigint primary key,
      login_name text collate "C" not null unique,
      confusable_key text collate "C" not null unique,
      secret text not null,
      secret_version integer not null default 1,
      administrator boolean not null,
      disabled boolean not null default false
    )`,
  ];
}

/**
 * Sessions are written on every extension of their expiry. No index has the expiry, so that this touches the row and
 * nothing else (a heap-only update); sweeping reads the whole table instead, which takes some ten milliseconds for
 * 100,000 sessions. The unique index serves the sessions of a user, and replaces the session of a device; rows
 * without a device never collide. The counters hold the number of rows, see the session statements.
 */
function sessions({ sessions: table, sessionCounts }: Tables): string[] {
  return [
    `create table ${table} (
      digest bytea primary key check (octet_length(digest) = 32),
      mode text not null,
      app_key_id text collate "C" not null,
      user_id bigint not null,
      secret_version integer not null,
      app_names jsonb not null,
      device_id text collate "C",
      opened_at timestamptz not null,
      expires_at timestamptz not null,
      ends_at timestamptz not null
    ) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05)`,
    `create unique index sessions_device on ${table} (user_id, app_key_id, device_id)`,
    `create table ${sessionCounts} (
      shard integer primary key,
      sessions bigint not null
    ) with (fillfactor = 20)`,
    `insert into ${sessionCounts} select shard, 0 from generate_series(0, ${countShards - 1}) as shard`,
  ];
}

/**
 * The two partial indexes list a class without a look at its rows, and without the readers being part of an index,
 * whose entries may not grow that long. An object is in one of them.
 */
function objects(
  { objects: table, objectIds, classes, schema }: Tables,
  definitions: readonly ClassDefinition[],
): (string | Query)[] {
  return [
    `create sequence ${objectIds} maxvalue 3656158440062975`,
    `create table ${table} (
      oid bigint primary key default nextval('"${schema}"."object_ids"'),
      uuid uuid not null unique,
      class text collate "C" not null,
      version integer not null default 1,
      stored_at timestamptz(3) not null,
      readers bigint[],
      attributes jsonb not null
    ) with (fillfactor = 90)`,
    `alter sequence ${objectIds} owned by ${table}.oid`,
    `create index objects_open on ${table} (class, oid) where readers is null`,
    `create index objects_restricted on ${table} (class, oid) where readers is not null`,
    `create table ${classes} (
      name text collate "C" primary key,
      position bigint generated always as identity,
      definition jsonb not null
    )`,
    {
      text: `insert into ${classes} (name, definition)
        select definition ->> 'name', definition
        from jsonb_array_elements($1::jsonb) with ordinality as given (definition, position)
        order by position`,
      values: [JSON.stringify(definitions)],
    },
  ];
}

function records({ throttle, audit }: Tables): string[] {
  return [
    `create table ${throttle} (
      key text collate "C" primary key,
      failures integer not null,
      delayed_at timestamptz not null,
      forget_at timestamptz not null
    ) with (fillfactor = 80)`,
    `create index throttle_forget on ${throttle} (forget_at)`,
    `create table ${audit} (
      sequence bigint generated always as identity primary key,
      at timestamptz not null,
      type text not null,
      request_id text not null,
      outcome integer not null,
      app_key_id text not null,
      user_id bigint,
      address text not null,
      app_names jsonb not null
    )`,
  ];
}

/** Otherwise the planner takes the tables with one row for large ones until somebody analyzes them. */
function statistics({ settings, sessionCounts }: Tables): string[] {
  return [`analyze ${settings}`, `analyze ${sessionCounts}`];
}
