import type { Tables } from "../tables.ts";
import type { Migration } from "../migrator.ts";

/** Options of every table: text comparison by code points, including trailing blanks, identical on every server. */
const tableOptions = "engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_nopad_bin";

/** The tables of accounts, sessions, records and logs. */
export const access: Migration = {
  name: "0001-access",
  statements: (tables) => [
    ...administration(tables),
    accounts(tables),
    ...sessions(tables),
    ...secureSessions(tables),
    customAccounts(tables),
    ...records(tables),
    ...logs(tables),
  ],
};

function administration({ settings, appKeys }: Tables): string[] {
  return [
    `create table if not exists ${settings} (
      singleton boolean primary key default true check (singleton),
      maintenance boolean not null default false,
      model_generation bigint not null default 1,
      last_audit bigint not null default 0,
      macro_generation bigint not null default 0
    ) ${tableOptions}`,
    `insert into ${settings} (singleton) values (true) on duplicate key update singleton = true`,
    `create table if not exists ${appKeys} (
      id varchar(64) primary key,
      name varchar(768) not null,
      digest binary(32) not null,
      enabled boolean not null default true,
      app_names json,
      origins json not null,
      return_addresses json not null default '[]',
      unique key app_keys_name (name),
      unique key app_keys_digest (digest)
    ) ${tableOptions}`,
  ];
}

/** User names exceed the index size. Digests make them unique, and their prefixes give the order. */
function accounts({ accounts: table }: Tables): string {
  return `create table if not exists ${table} (
    user_id bigint primary key,
    login_name text not null,
    confusable_key text not null,
    login_start varchar(768) as (left(login_name, 768)) virtual,
    login_digest binary(32) as (unhex(sha2(login_name, 256))) virtual,
    confusable_digest binary(32) as (unhex(sha2(confusable_key, 256))) virtual,
    secret text not null,
    secret_version integer not null default 1,
    administrator boolean not null,
    disabled boolean not null default false,
    email text,
    unique key accounts_login_name (login_digest),
    unique key accounts_confusable_key (confusable_digest),
    key accounts_login_start (login_start),
    key accounts_administrator (administrator, disabled)
  ) ${tableOptions}`;
}

/**
 * The key by expiry serves counting and sweeping. A session names the custom account or the link that opened it, and is
 * valid only while that is unchanged. The last key serves the sessions of a user and of a device. The rows by name serve
 * the seats of an app name, and the count of all openings and reservations, too.
 */
function sessions({ seatCounts, sessionCounts, sessionLockRows, sessionNames, sessions: table }: Tables): string[] {
  const shards = Array.from({ length: 64 }, (_, shard) => `(${shard}, 0)`).join(", ");
  return [
    `create table if not exists ${table} (
      digest binary(32) primary key,
      mode varchar(16) not null,
      app_key_id varchar(64) not null,
      user_id bigint not null,
      secret_version integer not null,
      app_names json not null,
      reserved_names json not null default '[]',
      enrolling boolean not null default false,
      device_id varchar(600),
      opened_at datetime(6) not null,
      expires_at datetime(6) not null,
      ends_at datetime(6) not null,
      custom_account char(36),
      custom_version integer,
      link_id varchar(512),
      link_born bigint,
      key sessions_expiry (expires_at),
      key sessions_custom_account (custom_account),
      key sessions_link (link_id),
      key sessions_device (user_id, app_key_id, device_id)
    ) ${tableOptions}`,
    ...lockRowTable(sessionLockRows),
    `create table if not exists ${sessionNames} (
      app_name varchar(512) not null,
      session binary(32) not null,
      primary key (app_name, session),
      key session_names_session (session),
      foreign key (session) references ${table} (digest) on update cascade on delete cascade
    ) ${tableOptions}`,
    `create table if not exists ${seatCounts} (
      app_name varchar(512) primary key,
      kind varchar(16) not null,
      taken bigint,
      opened bigint not null
    ) ${tableOptions}`,
    `create table if not exists ${sessionCounts} (shard integer primary key, opened bigint not null) ${tableOptions}`,
    `insert into ${sessionCounts} (shard, opened) values ${shards} on duplicate key update shard = value(shard)`,
  ];
}

/** Lock rows that serialize transactions: one for all of them, and 256 shared by hash. */
function lockRowTable(table: string): string[] {
  const rows = Array.from({ length: 257 }, (_, row) => `(${row - 1})`).join(", ");
  return [
    `create table if not exists ${table} (number integer primary key) ${tableOptions}`,
    `insert into ${table} (number) values ${rows} on duplicate key update number = value(number)`,
  ];
}

/**
 * A channel is deleted with its session. Message numbers go up to 2^64 − 1; `highest` is null before the first one. A
 * number's bit among the 1,024 accepted bits is its remainder.
 */
function secureSessions({ channels, cipherBlocks, sessions: table }: Tables): string[] {
  return [
    `create table if not exists ${channels} (
      session binary(32) primary key,
      wrapped_key text not null,
      iv_prefix binary(3) not null,
      next_out bigint not null default 0,
      highest bigint unsigned,
      accepted binary(128) not null,
      foreign key (session) references ${table} (digest) on update cascade on delete cascade
    ) ${tableOptions}`,
    `create table if not exists ${cipherBlocks} (
      digest binary(32) primary key,
      client_key binary(32) not null,
      key_id varchar(255) not null,
      uses integer not null,
      first_used_at datetime(6) not null,
      key cipher_blocks_key (key_id, first_used_at)
    ) ${tableOptions}`,
  ];
}

function logs({ audit, auditTallies, throttle }: Tables): string[] {
  const event = `type varchar(64) not null,
      request_id varchar(255) not null,
      outcome integer not null,
      app_key_id varchar(64) not null,
      actor_id bigint,
      subject_id bigint,
      address varchar(255) not null,
      app_names json not null,
      class_name varchar(63),
      macro_name varchar(128),
      provider_name varchar(32)`;
  return [
    `create table if not exists ${throttle} (
      \`key\` varchar(100) primary key,
      failures integer not null,
      delayed_at datetime(6) not null,
      forget_at datetime(6) not null,
      key throttle_forget (forget_at)
    ) ${tableOptions}`,
    `create table if not exists ${audit} (
      sequence bigint auto_increment primary key,
      at datetime(6) not null,
      since datetime(6),
      attempts bigint not null default 1,
      ${event}
    ) ${tableOptions}`,
    `create table if not exists ${auditTallies} (
      \`key\` varchar(200) primary key,
      attempts bigint not null,
      since datetime(6) not null,
      at datetime(6) not null,
      ${event}
    ) ${tableOptions}`,
  ];
}

/** Names are unique by their digests, as in `accounts`. */
function customAccounts({ customAccounts: table }: Tables): string {
  return `create table if not exists ${table} (
    id char(36) primary key,
    login_name text not null,
    confusable_key text not null,
    login_start varchar(768) as (left(login_name, 768)) virtual,
    login_digest binary(32) as (unhex(sha2(login_name, 256))) virtual,
    confusable_digest binary(32) as (unhex(sha2(confusable_key, 256))) virtual,
    user_id bigint not null,
    email text,
    secret text not null,
    secret_version integer not null default 1,
    disabled boolean not null default false,
    unique key custom_accounts_login_name (login_digest),
    unique key custom_accounts_confusable_key (confusable_digest),
    key custom_accounts_login_start (login_start),
    key custom_accounts_user (user_id)
  ) ${tableOptions}`;
}

/**
 * Records of any kind. A permanent record expires at the end of time, so that the unexpired ones are one key range. The
 * keys serve, in order: records of an owner, sweeping, counting by kind, and claiming. `due_at` is null for a record
 * that was not claimed since it was put. The value is not `json`: the engine fails on JSON nested 32 levels deep.
 */
function records({ recordLockRows, records: table, recordVersions }: Tables): string[] {
  return [
    `create sequence if not exists ${recordVersions} nocache engine = InnoDB`,
    `create table if not exists ${table} (
      kind varchar(32) not null,
      id varchar(512) not null,
      owner varchar(200),
      value longtext not null,
      version bigint not null,
      born bigint not null,
      created_at datetime(6) not null,
      expires_at datetime(6) not null,
      due_at datetime(6),
      claims integer not null default 0,
      primary key (kind, id),
      key records_owner (owner, kind, id),
      key records_expiry (expires_at),
      key records_kind_expiry (kind, expires_at, created_at),
      key records_born (kind, born)
    ) ${tableOptions}`,
    ...lockRowTable(recordLockRows),
  ];
}
