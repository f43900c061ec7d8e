import type { Migration } from "./migration.ts";
import { removeAccountsProcedure } from "./remove-accounts-procedure.ts";

/** An account takes with it what belongs to its user. */
export const belongings: Migration = {
  name: "0008-belongings",
  statements: (tables) => [removeAccountsProcedure(tables)],
};
