import type { Migration } from "./migration.ts";
import { settleTalliesProcedure } from "./settle-tallies-procedure.ts";
import { tableOptions } from "./table-options.ts";

/** Macros in the database: everything that they ever were, in the order in which they were changed. Events name the macro that they are about. */
export const macros: Migration = {
  name: "0003-macros",
  statements: (tables) => [
    `alter table ${tables.settings} add column if not exists macro_generation bigint not null default 0`,
    `create table if not exists ${tables.macroVersions} (
      position bigint auto_increment primary key,
      name varchar(128) not null,
      version integer not null,
      text mediumtext,
      language varchar(8),
      changed_at datetime(6) not null,
      changed_by varchar(255) not null,
      unique key macro_versions_name (name, version)
    ) ${tableOptions}`,
    ...[tables.audit, tables.auditTallies].map(
      (table) => `alter table ${table} add column if not exists macro_name varchar(128)`,
    ),
    settleTalliesProcedure(tables),
  ],
};
