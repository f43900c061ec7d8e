import type { Tables } from "../tables.ts";
import type { Migration } from "./migration.ts";

/** Lets queries follow references, and indexes hold them, as the numbers that they stand for. */
export const objectNumber: Migration = {
  name: "0007-object-number",
  statements: (tables) => [objectNumberFunction(tables)],
};

/**
 * The number of an object id, see `objectNumber` of the domain; null of a text that is none. Lists that ask for what a
 * reference leads to compute it for every object, and a regular expression would take as long as all of the rest: what is no
 * digit makes null of its sum instead.
 */
function objectNumberFunction({ objectNumber: name }: Tables): string {
  return `create function ${name} (id text) returns bigint language plpgsql immutable strict parallel safe as $$
  declare
    number bigint := nullif(strpos('123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', left(id, 1)), 0);
  begin
    if length(id) not between 1 and 10 then return null; end if;
    for place in 2 .. length(id) loop
      number := number * 36 + nullif(strpos('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', substr(id, place, 1)), 0) - 1;
    end loop;
    return number;
  end
  $$`;
}
