import type { Functions } from "../migrations/migrator.ts";
import type { Tables } from "../tables.ts";
import { acceptModel, planOnce } from "./writing-steps.ts";

export const lockObjectsFunction: Functions = {
  name: "lock_objects",
  number: 1,
  statements: (tables) => [definition(tables)],
};

/**
 * Locks rows of objects and of tombstones, so that others neither write nor reference them. Rows of each table are
 * locked in ascending order to avoid deadlocks.
 */
function definition(tables: Tables): string {
  const { tombstones, lockObjects, objects } = tables;
  const lockRows = (table: string) => `perform from ${table} where oid = any (numbers) order by oid for update;`;
  return `create or replace function ${lockObjects} (numbers bigint[], generation bigint) returns void language plpgsql ${planOnce} as $$
  begin
    ${acceptModel(tables, "generation")}
    ${lockRows(objects)}
    ${lockRows(tombstones)}
  end
  $$`;
}
