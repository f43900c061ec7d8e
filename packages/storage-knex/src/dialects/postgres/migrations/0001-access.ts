import type { Tables } from "../tables.ts";
import type { Migration } from "../migrator.ts";

/**
 * Accounts, app keys, sessions, and the records of log-ins. Text compares by bytes (`collate "C"`): exact, identical on
 * every server, and independent of the collations of the operating system.
 */
export const access: Migration = {
  name: "0001-access",
  statements: (tables) => [
    ...administration(tables),
    ...sessions(tables),
    ...secureSessions(tables),
    ...ways(tables),
    ...failures(tables),
    ...records(tables),
    ...logs(tables),
    // Until the first analyze, the planner takes small tables for large ones.
    `analyze ${tables.settings}`,
    `analyze ${tables.sessionCounts}`,
  ],
};

function administration({ accounts, appKeys, settings }: Tables) {
  return [
    `create table ${settings} (
      singleton boolean primary key default true check (singleton),
      maintenance boolean not null default false,
      model_generation bigint not null default 1,
      macro_generation bigint not null default 0
    ) with (fillfactor = 50)`,
    `insert into ${settings} default values`,
    `create table ${appKeys} (
      id text collate "C" primary key,
      name text collate "C" not null unique,
      digest bytea not null unique check (octet_length(digest) = 32),
      enabled boolean not null default true,
      app_names jsonb,
      origins jsonb not null,
      return_addresses jsonb not null default '[]'
    )`,
    `create table ${accounts} (
      user_id bigint primary key,
      login_name text collate "C" not null unique,
      confusable_key text collate "C" not null unique,
      secret text not null,
      secret_version integer not null default 1,
      administrator boolean not null,
      disabled boolean not null default false,
      email text
    )`,
  ];
}

/**
 * Sessions are updated on every extension of their expiry. The expiry is not indexed, so that the update is heap-only.
 * Sweeping reads the whole table instead, which takes some ten milliseconds for 100,000 sessions. The first index
 * serves the sessions of a user and of a device. A session names the custom account or the link that opened it, and is
 * valid only while that is unchanged; other sessions are in neither index. The indexes by name serve the seats of an app
 * name. They have no list of pending entries, which every search would read. The counters contain the number of rows, see
 * the session statements, and of all openings and reservations, see the seats.
 */
function sessions({ seatCounts, sessions: table, sessionCounts }: Tables) {
  return [
    `create table ${table} (
      digest bytea primary key check (octet_length(digest) = 32),
      mode text not null,
      app_key_id text collate "C" not null,
      user_id bigint not null,
      secret_version integer not null,
      app_names jsonb not null,
      reserved_names jsonb,
      enrolling boolean not null default false,
      device_id text collate "C",
      opened_at timestamptz not null,
      expires_at timestamptz not null,
      ends_at timestamptz not null,
      custom_account uuid,
      custom_version integer,
      link_id text collate "C",
      link_born bigint
    ) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05)`,
    `create index sessions_device on ${table} (user_id, app_key_id, device_id)`,
    `create index sessions_custom_account on ${table} (custom_account) where custom_account is not null`,
    `create index sessions_link on ${table} (link_id) where link_id is not null`,
    `create index sessions_app_names on ${table} using gin (app_names jsonb_path_ops) with (fastupdate = off)`,
    `create index sessions_reserved_names on ${table} using gin (reserved_names jsonb_path_ops) with (fastupdate = off)
    where reserved_names is not null`,
    `create table ${sessionCounts} (
      shard integer primary key,
      sessions bigint not null,
      opened bigint not null
    ) with (fillfactor = 20)`,
    `insert into ${sessionCounts} select shard, 0, 0 from generate_series(0, 63) as shard`,
    `create table ${seatCounts} (
      app_name text collate "C" primary key,
      kind text not null,
      taken bigint not null,
      opened bigint not null
    ) with (fillfactor = 50)`,
  ];
}

/**
 * A channel is deleted with its session. Every message updates its row. No indexed column changes, so that the update
 * is heap-only. Message numbers go up to 2^64 − 1, which exceeds bigint. Bit n of the accepted ones, from the left, is
 * the n-th number below the highest.
 */
function secureSessions({ channels, cipherBlocks, sessions: table }: Tables) {
  return [
    `create table ${channels} (
      session bytea primary key references ${table} (digest) on update cascade on delete cascade,
      wrapped_key text not null,
      iv_prefix bytea not null check (octet_length(iv_prefix) = 3),
      next_out bigint not null default 0,
      highest numeric(20) not null default -1,
      accepted bit(1024) not null default repeat('0', 1024)::bit(1024)
    ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05)`,
    `create table ${cipherBlocks} (
      digest bytea primary key check (octet_length(digest) = 32),
      client_key bytea not null check (octet_length(client_key) = 32),
      key_id text collate "C" not null,
      uses integer not null,
      first_used_at timestamptz not null
    ) with (fillfactor = 90)`,
    `create index cipher_blocks_key on ${cipherBlocks} (key_id, first_used_at)`,
  ];
}

/** Log-in methods besides the password of a database user. */
function ways({ customAccounts }: Tables) {
  return [
    `create table ${customAccounts} (
      id uuid primary key,
      login_name text collate "C" not null unique,
      confusable_key text collate "C" not null unique,
      user_id bigint not null,
      email text,
      secret text not null,
      secret_version integer not null default 1,
      disabled boolean not null default false
    )`,
    `create index custom_accounts_user on ${customAccounts} (user_id)`,
  ];
}

/** Protection of the log-in methods. */
function failures({ throttle }: Tables) {
  return [
    `create table ${throttle} (
      key text collate "C" primary key,
      failures integer not null,
      delayed_at timestamptz not null,
      forget_at timestamptz not null
    ) with (fillfactor = 80)`,
    `create index throttle_forget on ${throttle} (forget_at)`,
  ];
}

/**
 * Records of any kind. A permanent record expires at infinity, so that the unexpired ones are one index range. The indexes serve, in order: records of an owner,
 * sweeping, counting by kind, and claiming. A claim changes no indexed column, so that the update is heap-only. `due_at` is null for a record that was not claimed since
 * it was put.
 *
 * The planner has no statistics on most columns. It assumes some 200 kinds and no common time. So it uses the index for any number of records of other kinds, and a
 * generic plan is as good as a custom one. Two indexes have a condition that is always true, and serve only statements with it. Otherwise, for a statement with an id,
 * the planner could prefer them to the primary key and read a whole kind.
 */
function records({ records: table, recordVersions }: Tables) {
  return [
    `create sequence ${recordVersions}`,
    `create table ${table} (
      kind text collate "C" not null,
      id text collate "C" not null,
      owner text collate "C",
      value json not null,
      version bigint not null,
      born bigint not null,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      due_at timestamptz,
      claims integer not null default 0,
      primary key (kind, id)
    )`,
    `alter sequence ${recordVersions} owned by ${table}.version`,
    ...["kind", "id", "expires_at", "due_at"].map(
      (column) => `alter table ${table} alter column ${column} set statistics 0`,
    ),
    `create index records_owner on ${table} (owner, kind, id) where owner is not null`,
    `create index records_expiry on ${table} (expires_at) where expires_at < 'infinity'`,
    `create index records_kind_expiry on ${table} (kind, expires_at) include (created_at) where born > 0`,
    `create index records_born on ${table} (kind, born) where born > 0`,
  ];
}

/**
 * Tallies count attempts until they become one event. Each connection counts in its own row, so that none blocks
 * another. `since` is null for an event of one attempt.
 */
function logs({ audit, auditTallies }: Tables) {
  const event = `type text not null,
      request_id text not null,
      outcome integer not null,
      app_key_id text not null,
      actor_id bigint,
      subject_id bigint,
      address text not null,
      app_names jsonb not null`;
  const subject = `class_name text collate "C",
      macro_name text collate "C",
      provider_name text collate "C"`;
  return [
    `create table ${audit} (
      sequence bigint generated always as identity primary key,
      at timestamptz not null,
      ${event},
      attempts bigint not null default 1,
      since timestamptz,
      ${subject}
    )`,
    `create table ${auditTallies} (
      key text collate "C",
      shard integer,
      attempts bigint not null,
      since timestamptz not null,
      at timestamptz not null,
      ${event},
      ${subject},
      primary key (key, shard)
    ) with (fillfactor = 50)`,
  ];
}
