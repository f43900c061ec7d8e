import type { Tables } from "../tables.ts";
import { acceptModel, planOnce } from "./writing-steps.ts";

/**
 * Holds rows of objects, and of what is left of objects, so that others neither write them nor point to them. Rows of each
 * table are held in ascending order, so that those who hold several at once wait for one another.
 */
export function holdObjectsFunction(tables: Tables): string {
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
