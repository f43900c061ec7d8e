import type { Functions } from "../migrations/migrator.ts";
import type { Tables } from "../tables.ts";
import { acceptModel, planOnce } from "./writing-steps.ts";

export const holdObjectsFunction: Functions = {
  name: "hold_objects",
  number: 1,
  statements: (tables) => [definition(tables)],
};

/**
 * Holds rows of objects, and of what is left of objects, so that others neither write them nor point to them. Rows of each
 * table are held in ascending order, so that those who hold several at once wait for one another.
 */
function definition(tables: Tables): string {
  const { departures, holdObjects, objects } = tables;
  const hold = (table: string) => `perform from ${table} where oid = any (numbers) order by oid for update;`;
  return `create or replace function ${holdObjects} (numbers bigint[], generation bigint) returns void language plpgsql ${planOnce} as $$
  begin
    ${acceptModel(tables, "generation")}
    ${hold(objects)}
    ${hold(departures)}
  end
  $$`;
}
