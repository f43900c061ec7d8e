import type { Functions } from "../migrations/migrator.ts";
import type { Tables } from "../tables.ts";
import { acceptModel, planOnce } from "./writing-steps.ts";

export const lockObjectsFunction: Functions = {
  name: "lock_objects",
  number: 1,
  statements: (tables) => [definition(tables)],
};

/**
 * Holds rows of objects, and of what is left of objects, so that others neither write them nor point to them. Rows of each
 * table are locked in ascending order, so that two callers never wait for each other.
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
