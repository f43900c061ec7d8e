import { admitReturnProcedure } from "./admit-return-procedure.ts";
import type { Migration } from "./migration.ts";

/** App keys list the addresses that browsers may return to after a log-in at a provider. */
export const returnAddresses: Migration = {
  name: "0016-return-addresses",
  statements: (tables) => [
    `alter table ${tables.appKeys} add column if not exists return_addresses json not null default '[]'`,
    admitReturnProcedure(tables),
  ],
};
