import { writeStamp } from "../statements/stamps.ts";
import type { Tables } from "../tables.ts";

/** The function that gives the offset: the one place where it stands. In a statement it costs no more than a number there. */
export function stampOffsetFunction({ stampOffset }: Tables, offset: bigint): string {
  return `create or replace function ${stampOffset} () returns bigint language sql stable as 'select (${offset})::bigint'`;
}

/** What triggers call to put a stamp right. */
export function stampRowFunction(tables: Tables): string {
  return `create function ${tables.stampRow} () returns trigger language plpgsql as $$
  begin
    new.stamp := ${writeStamp(tables)};
    return new;
  end
  $$`;
}

/**
 * Gives a table stamps, whatever writes it. Rows that are there get that of the migration, without being written. New
 * ones get theirs by default, which costs next to nothing; the trigger calls its function only where something else
 * came in its place.
 */
export function stamped(tables: Tables, table: string, name: string): string[] {
  const stamp = writeStamp(tables);
  return [
    `alter table ${table} add column stamp bigint not null default ${stamp}`,
    `create index ${name}_stamp on ${table} (stamp, oid)`,
    `create trigger ${name}_stamped before insert or update on ${table} for each row
      when (new.stamp is distinct from ${stamp}) execute function ${tables.stampRow}()`,
  ];
}
