import type { Migration } from "./migration.ts";

/** Macros in the database: everything that they ever were, in the order in which they were changed. Events name the macro that they are about. */
export const macros: Migration = {
  name: "0011-macros",
  statements: ({ audit, auditTallies, macroVersions, settings }) => [
    `alter table ${settings} add column macro_generation bigint not null default 0`,
    `create table ${macroVersions} (
      position bigint generated always as identity primary key,
      name text collate "C" not null,
      version integer not null,
      text text,
      language text,
      changed_at timestamptz not null,
      changed_by text not null,
      unique (name, version)
    )`,
    ...[audit, auditTallies].map((table) => `alter table ${table} add column macro_name text collate "C"`),
  ],
};
