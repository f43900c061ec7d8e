import type { Migration } from "./migration.ts";
import { removeAccountsFunction } from "./remove-accounts-function.ts";

/** An account takes with it what belongs to its user. */
export const belongings: Migration = {
  name: "0016-belongings",
  statements: (tables) => [
    `drop function if exists ${tables.removeAccounts} (bigint[])`,
    removeAccountsFunction(tables),
  ],
};
