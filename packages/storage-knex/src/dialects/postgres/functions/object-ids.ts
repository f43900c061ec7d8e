import type { Functions } from "../migrations/migrator.ts";
import type { Tables } from "../tables.ts";

/** Functions that parse object ids in values. */
export const objectIdFunctions: Functions = {
  name: "object_ids",
  number: 1,
  statements: (tables) => [linkedObjectsFunction(tables), objectNumberFunction(tables)],
};

/**
 * The numbers of the objects whose ids are values of the attributes, see `objectNumber` of the domain. A reference is
 * an id as text, a collection an array of ids. Only the text between quotation marks can be an id.
 */
function linkedObjectsFunction({ linkedObjects: name }: Tables): string {
  return `create or replace function ${name} (attributes jsonb, links text[]) returns bigint[] language plpgsql immutable as $$
  declare
    numbers bigint[] := '{}';
    link text;
    id text;
    number bigint;
  begin
    foreach link in array links loop
      continue when not attributes ? link or jsonb_typeof(attributes -> link) not in ('string', 'array');
      foreach id in array string_to_array(replace((attributes -> link)::text, '\\"', '_'), '"') loop
        continue when id !~ '^[1-9A-Z][0-9A-Z]{0,9}$';
        number := 0;
        for place in 1 .. length(id) loop
          number := number * 36 + strpos('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', substr(id, place, 1)) - 1;
        end loop;
        numbers := numbers || number;
      end loop;
    end loop;
    return numbers;
  end
  $$`;
}

/**
 * The number of an object id, see `objectNumber` of the domain; null for an invalid id. Queries over references compute
 * it for every object, and a regular expression would take as long as the rest. An invalid digit makes the sum null
 * instead.
 */
function objectNumberFunction({ objectNumber: name }: Tables): string {
  return `create or replace function ${name} (id text) returns bigint language plpgsql immutable strict parallel safe as $$
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
