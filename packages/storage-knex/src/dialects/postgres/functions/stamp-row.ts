import { writeStamp } from "../statements/stamps.ts";
import type { Functions } from "../migrations/migration.ts";
import type { Tables } from "../tables.ts";

export const stampRowFunction: Functions = {
  name: "stamp_row",
  number: 1,
  statements: (tables) => [definition(tables)],
};

/** Triggers call it to correct the stamp on every write of the row. */
function definition(tables: Tables): string {
  return `create or replace function ${tables.stampRow} () returns trigger language plpgsql as $$
  begin
    new.stamp := ${writeStamp(tables)};
    return new;
  end
  $$`;
}
