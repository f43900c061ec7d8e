import { longestName } from "../longest-name.ts";
import type { Tables } from "../tables.ts";
import type { Migration } from "./migration.ts";
import { tableOptions } from "./table-options.ts";

/** Ways in besides the password of a database user, what guards them, and the mail that they need. */
export const identities: Migration = {
  name: "0005-identities",
  statements: (tables) => [
    ...known(tables),
    ...providers(tables),
    customAccounts(tables),
    ...secrets(tables),
    mail(tables),
  ],
};

/** A session names the custom account or the link that opened it, and is good only while that is as it was. */
function known({ accounts, applications, audit, auditTallies, sessions }: Tables): string[] {
  return [
    `alter table ${accounts} add column if not exists email text`,
    `alter table ${applications} add column if not exists second_factor varchar(8) not null default 'off'`,
    `alter table ${sessions}
      add column if not exists custom_account char(36), add column if not exists custom_version integer, add column if not exists identity_link char(36)`,
    ...[audit, auditTallies].map((table) => `alter table ${table} add column if not exists provider_name varchar(32)`),
  ];
}

function providers({ identityProviders, identityLinks }: Tables): string[] {
  return [
    `create table if not exists ${identityProviders} (
      type varchar(32) primary key,
      name text not null,
      sealed_data text not null,
      default_user_id bigint,
      app_names json not null
    ) ${tableOptions}`,
    `create table if not exists ${identityLinks} (
      id char(36) primary key,
      provider varchar(32) not null,
      issuer varchar(255) not null,
      subject varchar(255) not null,
      user_id bigint not null,
      shared boolean not null,
      email text,
      display_name text,
      linked_at datetime(6) not null,
      unique key identity_links_identity (issuer, subject),
      key identity_links_user (user_id, provider)
    ) ${tableOptions}`,
  ];
}

/** Names are kept apart by their digests, as those of database users are. */
function customAccounts({ customAccounts: table }: Tables): string {
  return `create table if not exists ${table} (
    id char(36) primary key,
    login_name text not null,
    confusable_key text not null,
    login_start varchar(${longestName}) as (left(login_name, ${longestName})) virtual,
    login_digest binary(32) as (unhex(sha2(login_name, 256))) virtual,
    confusable_digest binary(32) as (unhex(sha2(confusable_key, 256))) virtual,
    user_id bigint not null,
    email text,
    secret text not null,
    secret_version integer not null default 1,
    disabled boolean not null default false,
    pending_secret text,
    pending_code binary(32),
    pending_tries integer,
    pending_until datetime(6),
    unique key custom_accounts_login_name (login_digest),
    unique key custom_accounts_confusable_key (confusable_digest),
    key custom_accounts_login_start (login_start),
    key custom_accounts_user (user_id)
  ) ${tableOptions}`;
}

function secrets({ oneTimeSecrets, passwordHistory, secondFactors }: Tables): string[] {
  return [
    `create table if not exists ${oneTimeSecrets} (
      kind varchar(32) not null,
      digest binary(32) not null,
      subject varchar(200),
      payload json not null,
      expires_at datetime(6) not null,
      primary key (kind, digest),
      key one_time_secrets_subject (kind, subject),
      key one_time_secrets_expiry (expires_at)
    ) ${tableOptions}`,
    `create table if not exists ${secondFactors} (
      subject varchar(200) not null,
      app_name varchar(${longestName - 200}) not null,
      sealed_secret text not null,
      confirmed boolean not null default false,
      last_step bigint not null default -1,
      recovery_codes json not null,
      primary key (subject, app_name)
    ) ${tableOptions}`,
    `create table if not exists ${passwordHistory} (
      position bigint auto_increment primary key,
      subject varchar(200) not null,
      secret text not null,
      key password_history_subject (subject, position)
    ) ${tableOptions}`,
  ];
}

function mail({ outbox }: Tables): string {
  return `create table if not exists ${outbox} (
    id bigint auto_increment primary key,
    sealed_order text not null,
    attempts integer not null default 0,
    put_at datetime(6) not null,
    due_at datetime(6) not null,
    expires_at datetime(6) not null,
    stuck_since datetime(6),
    key outbox_due (due_at)
  ) ${tableOptions}`;
}
