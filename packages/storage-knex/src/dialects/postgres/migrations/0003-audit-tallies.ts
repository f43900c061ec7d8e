import type { Migration } from "./migration.ts";

/**
 * Attempts that are counted together until they become one event. Each connection counts in a row of its own, so that
 * none waits for another. Events from before stand for one attempt each; without a time of the first, they are it.
 */
export const auditTallies: Migration = {
  name: "0003-audit-tallies",
  statements: ({ audit, auditTallies: table }) => [
    `alter table ${audit} add column attempts bigint not null default 1, add column since timestamptz`,
    `create table ${table} (
      key text collate "C",
      shard integer,
      attempts bigint not null,
      since timestamptz not null,
      at timestamptz not null,
      type text not null,
      request_id text not null,
      outcome integer not null,
      app_key_id text not null,
      user_id bigint,
      address text not null,
      app_names jsonb not null,
      primary key (key, shard)
    ) with (fillfactor = 50)`,
  ],
};
