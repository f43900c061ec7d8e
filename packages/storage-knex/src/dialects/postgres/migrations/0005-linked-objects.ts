import type { Tables } from "../tables.ts";
import type { Migration } from "./migration.ts";

/** Lets the objects that an object points to be read in the statement that reads the object. */
export const linkedObjects: Migration = {
  name: "0005-linked-objects",
  statements: (tables) => [linkedObjectsFunction(tables)],
};

/**
 * The numbers of the objects whose ids are values of the attributes, see `objectNumber` of the domain. A reference is
 * an id as text, a collection an array of them: what stands between quotation marks, and nothing else looks like an id.
 */
function linkedObjectsFunction({ linkedObjects: name }: Tables): string {
  return `create function ${name} (attributes jsonb, links text[]) returns bigint[] language plpgsql immutable as $$
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
