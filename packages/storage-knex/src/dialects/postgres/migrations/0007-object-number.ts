import type { Tables } from "../tables.ts";
import type { Migration } from "./migration.ts";

/** Lets queries follow references, and indexes hold them, as the numbers that they stand for. */
export const objectNumber: Migration = {
  name: "0007-object-number",
  statements: (tables) => [objectNumberFunction(tables)],
};

/** The number of an object id, see `objectNumber` of the domain; null of a text that is none. */
function objectNumberFunction({ objectNumber: name }: Tables): string {
  return `create function ${name} (id text) returns bigint language plpgsql immutable strict parallel safe as $$
  declare
    number bigint := 0;
  begin
    if id !~ '^[1-9A-Z][0-9A-Z]{0,9}$' then return null; end if;
    for place in 1 .. length(id) loop
      number := number * 36 + strpos('123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', substr(id, place, 1));
    end loop;
    return number;
  end
  $$`;
}
