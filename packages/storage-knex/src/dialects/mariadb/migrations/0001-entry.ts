import { longestName } from "../longest-name.ts";
import type { Tables } from "../tables.ts";
import { acceptNumberProcedure } from "./accept-number-procedure.ts";
import { claimBlocksProcedure } from "./claim-blocks-procedure.ts";
import type { Migration } from "./migration.ts";
import { openSessionProcedure } from "./open-session-procedure.ts";
import { removeAccountsProcedure } from "./remove-accounts-procedure.ts";
import { reserveNumbersProcedure } from "./reserve-numbers-procedure.ts";
import { rotateKeyProcedure } from "./rotate-key-procedure.ts";
import { gateOfAll, userGates } from "./session-gates.ts";
import { settleTalliesProcedure } from "./settle-tallies-procedure.ts";
import { sweepAuditProcedure } from "./sweep-audit-procedure.ts";
import { tableOptions } from "./table-options.ts";
import { throttleProcedures } from "./throttle-procedures.ts";

/** Who and what may come in, and what is kept of those who did. */
export const entry: Migration = {
  name: "0001-entry",
  statements: (tables) => [
    ...administration(tables),
    accounts(tables),
    ...sessions(tables),
    ...secureSessions(tables),
    keys(tables),
    ...records(tables),
    openSessionProcedure(tables),
    reserveNumbersProcedure(tables),
    acceptNumberProcedure(tables),
    claimBlocksProcedure(tables),
    rotateKeyProcedure(tables),
    ...throttleProcedures(tables),
    settleTalliesProcedure(tables),
    sweepAuditProcedure(tables),
    removeAccountsProcedure(tables),
  ],
};

function administration({ settings, appKeys, applications }: Tables): string[] {
  return [
    `create table if not exists ${settings} (
      singleton boolean primary key default true check (singleton),
      maintenance boolean not null default false,
      model_generation bigint not null default 1,
      last_audit bigint not null default 0
    ) ${tableOptions}`,
    `insert into ${settings} (singleton) values (true) on duplicate key update singleton = true`,
    `create table if not exists ${appKeys} (
      id varchar(64) primary key,
      name varchar(${longestName}) not null,
      digest binary(32) not null,
      enabled boolean not null default true,
      app_names json,
      origins json not null,
      unique key app_keys_name (name),
      unique key app_keys_digest (digest)
    ) ${tableOptions}`,
    `create table if not exists ${applications} (
      name varchar(${longestName}) primary key,
      seats integer check (seats >= 0)
    ) ${tableOptions}`,
  ];
}

/** Names of users do not fit into an index as a whole: their digests keep them apart, and their starts in order. */
function accounts({ accounts: table }: Tables): string {
  return `create table if not exists ${table} (
    user_id bigint primary key,
    login_name text not null,
    confusable_key text not null,
    login_start varchar(${longestName}) as (left(login_name, ${longestName})) virtual,
    login_digest binary(32) as (unhex(sha2(login_name, 256))) virtual,
    confusable_digest binary(32) as (unhex(sha2(confusable_key, 256))) virtual,
    secret text not null,
    secret_version integer not null default 1,
    administrator boolean not null,
    disabled boolean not null default false,
    unique key accounts_login_name (login_digest),
    unique key accounts_confusable_key (confusable_digest),
    key accounts_login_start (login_start),
    key accounts_administrator (administrator, disabled)
  ) ${tableOptions}`;
}

/**
 * The unique key serves the sessions of a user, and replaces the session of a device; rows without a device never collide.
 * That by the expiry serves counting and sweeping.
 */
function sessions({ sessionGates, sessions: table }: Tables): string[] {
  const gates = [gateOfAll, ...Array.from({ length: userGates }, (_, gate) => gate)];
  return [
    `create table if not exists ${table} (
      digest binary(32) primary key,
      mode varchar(16) not null,
      app_key_id varchar(64) not null,
      user_id bigint not null,
      secret_version integer not null,
      app_names json not null,
      device_id varchar(600),
      opened_at datetime(6) not null,
      expires_at datetime(6) not null,
      ends_at datetime(6) not null,
      unique key sessions_device (user_id, app_key_id, device_id),
      key sessions_expiry (expires_at)
    ) ${tableOptions}`,
    `create table if not exists ${sessionGates} (gate integer primary key) ${tableOptions}`,
    `insert into ${sessionGates} (gate) values ${gates.map((gate) => `(${gate})`).join(", ")} on duplicate key update gate = value(gate)`,
  ];
}

/**
 * A channel goes with its session, and follows it to another digest, when the session of a device is replaced. Numbers of messages
 * go up to 2^64 − 1; before the first one there is no highest. In the 1,024 bits of the accepted ones a number has the place
 * that is its remainder.
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

/** The unique key over the kind lets there be one current key: that of any other is null. The position is the order in which they became current. */
function keys({ keys: table }: Tables): string {
  return `create table if not exists ${table} (
    position bigint auto_increment primary key,
    kind varchar(16) not null,
    key_id varchar(255) not null,
    public_key text not null,
    wrapped_private_key text not null,
    created_at datetime(6) not null,
    accepted_until datetime(6),
    current_kind varchar(16) as (if(accepted_until is null, kind, null)) stored,
    unique key keys_id (kind, key_id),
    unique key keys_current (current_kind)
  ) ${tableOptions}`;
}

function records({ audit, auditTallies, throttle }: Tables): string[] {
  const event = `type varchar(64) not null,
      request_id varchar(255) not null,
      outcome integer not null,
      app_key_id varchar(64) not null,
      user_id bigint,
      address varchar(255) not null,
      app_names json not null,
      class_name varchar(63)`;
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
