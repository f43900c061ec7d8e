import type { Tables } from "../tables.ts";
import { countedInside } from "./counted-inside.ts";
import { insertObjectFunction } from "./insert-object-function.ts";
import type { Migration } from "./migration.ts";

/** What writing one object costs beyond its row. */
export const singleObjects: Migration = {
  name: "0015-single-objects",
  statements: (tables) =>
    [
      insertObjectFunction(tables),
      countedByStatement(tables),
      ...stampedByRow(tables, tables.objects, "objects"),
      ...stampedByRow(tables, tables.departures, "departures"),
    ].flat(),
};

/** The table of what was inserted costs more than to count one row; whoever has counted it needs none. */
function countedByStatement({ objects, schema }: Tables): string[] {
  return [
    `drop trigger count_added on ${objects}`,
    `create trigger count_added after insert on ${objects} referencing new table as added
      for each statement when (${countedInside.otherwise}) execute function "${schema}"."count_added"()`,
  ];
}

/** The condition was planned anew for each statement, which took longer than to call the function. */
function stampedByRow({ stampRow }: Tables, table: string, name: string): string[] {
  return [
    `drop trigger ${name}_stamped on ${table}`,
    `create trigger ${name}_stamped before insert or update on ${table} for each row execute function ${stampRow}()`,
  ];
}
