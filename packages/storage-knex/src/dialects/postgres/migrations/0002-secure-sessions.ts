import { messageWindow } from "@sallyport/core";
import type { Tables } from "../tables.ts";
import type { Migration } from "./migration.ts";

/** What token and secure log-ins need. The mode of a session is known since the first migration. */
export const secureSessions: Migration = {
  name: "0002-secure-sessions",
  statements: (tables) => [...channels(tables), ...cipherBlocks(tables), ...keys(tables)],
};

/**
 * A channel follows its session to another digest, when the session of a device is replaced, and is then opened anew or
 * lies unused; it goes with its session. Every message writes its row, none of whose indexed columns ever changes, so
 * that this touches the heap alone. Numbers of messages go up to 2^64 − 1, which no integer of the database holds.
 * Bit n of the accepted ones, counted from the left, stands for the n-th number below the highest.
 */
function channels({ channels: table, sessions }: Tables): string[] {
  return [
    `create table ${table} (
      session bytea primary key references ${sessions} (digest) on update cascade on delete cascade,
      wrapped_key text not null,
      iv_prefix bytea not null check (octet_length(iv_prefix) = 3),
      next_out bigint not null default 0,
      highest numeric(20) not null default -1,
      accepted bit(${messageWindow}) not null default repeat('0', ${messageWindow})::bit(${messageWindow})
    ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05)`,
  ];
}

function cipherBlocks({ cipherBlocks: table }: Tables): string[] {
  return [
    `create table ${table} (
      digest bytea primary key check (octet_length(digest) = 32),
      client_key bytea not null check (octet_length(client_key) = 32),
      key_id text collate "C" not null,
      uses integer not null,
      first_used_at timestamptz not null
    ) with (fillfactor = 90)`,
    `create index cipher_blocks_key on ${table} (key_id, first_used_at)`,
  ];
}

/** The partial index lets there be one current key of a kind. The position is the order in which they became current. */
function keys({ keys: table }: Tables): string[] {
  return [
    `create table ${table} (
      kind text collate "C" not null,
      key_id text collate "C" not null,
      position bigint generated always as identity,
      public_key text not null,
      wrapped_private_key text not null,
      created_at timestamptz not null,
      accepted_until timestamptz,
      primary key (kind, key_id)
    )`,
    `create unique index keys_current on ${table} (kind) where accepted_until is null`,
  ];
}
