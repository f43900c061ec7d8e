import type { Tables } from "../tables.ts";
import type { Migration } from "./migration.ts";

/** Ways in besides the password of a database user, what guards them, and the mail that they need. */
export const identities: Migration = {
  name: "0012-identities",
  statements: (tables) => [
    ...known(tables),
    ...providers(tables),
    ...customAccounts(tables),
    ...secrets(tables),
    ...mail(tables),
  ],
};

/** A session names the custom account or the link that opened it, and is good only while that is as it was. */
function known({ accounts, applications, audit, auditTallies, sessions }: Tables): string[] {
  return [
    `alter table ${accounts} add column email text`,
    `alter table ${applications} add column second_factor text not null default 'off' check (second_factor in ('off', 'optional', 'forced'))`,
    `alter table ${sessions} add column custom_account uuid, add column custom_version integer, add column identity_link uuid`,
    ...[audit, auditTallies].map((table) => `alter table ${table} add column provider_name text collate "C"`),
  ];
}

function providers({ identityProviders, identityLinks }: Tables): string[] {
  return [
    `create table ${identityProviders} (
      type text collate "C" primary key,
      name text not null,
      sealed_data text not null,
      default_user_id bigint,
      app_names jsonb not null
    )`,
    `create table ${identityLinks} (
      id uuid primary key,
      provider text collate "C" not null,
      issuer text collate "C" not null,
      subject text collate "C" not null,
      user_id bigint not null,
      shared boolean not null,
      email text,
      display_name text,
      linked_at timestamptz not null,
      unique (issuer, subject)
    )`,
    `create index identity_links_user on ${identityLinks} (user_id, provider)`,
  ];
}

function customAccounts({ customAccounts: table }: Tables): string[] {
  return [
    `create table ${table} (
      id uuid primary key,
      login_name text collate "C" not null unique,
      confusable_key text collate "C" not null unique,
      user_id bigint not null,
      email text,
      secret text not null,
      secret_version integer not null default 1,
      disabled boolean not null default false,
      pending_secret text,
      pending_code bytea check (octet_length(pending_code) = 32),
      pending_tries integer,
      pending_until timestamptz
    )`,
    `create index custom_accounts_user on ${table} (user_id)`,
  ];
}

function secrets({ oneTimeSecrets, passwordHistory, secondFactors }: Tables): string[] {
  return [
    `create table ${oneTimeSecrets} (
      kind text collate "C" not null,
      digest bytea not null check (octet_length(digest) = 32),
      subject text collate "C",
      payload jsonb not null,
      expires_at timestamptz not null,
      primary key (kind, digest)
    )`,
    `create index one_time_secrets_subject on ${oneTimeSecrets} (kind, subject)`,
    `create index one_time_secrets_expiry on ${oneTimeSecrets} (expires_at)`,
    `create table ${secondFactors} (
      subject text collate "C" not null,
      app_name text collate "C" not null,
      sealed_secret text not null,
      confirmed boolean not null default false,
      last_step bigint not null default -1,
      recovery_codes jsonb not null,
      primary key (subject, app_name)
    )`,
    `create table ${passwordHistory} (
      position bigint generated always as identity primary key,
      subject text collate "C" not null,
      secret text not null
    )`,
    `create index password_history_subject on ${passwordHistory} (subject, position)`,
  ];
}

function mail({ outbox }: Tables): string[] {
  return [
    `create table ${outbox} (
      id bigint generated always as identity primary key,
      sealed_order text not null,
      attempts integer not null default 0,
      put_at timestamptz not null,
      due_at timestamptz not null,
      expires_at timestamptz not null,
      stuck_since timestamptz
    )`,
    `create index outbox_due on ${outbox} (due_at)`,
  ];
}
