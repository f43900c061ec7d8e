import type { Migration } from "./migration.ts";

/** App keys list the addresses that browsers may return to after a log-in at a provider. */
export const returnAddresses: Migration = {
  name: "0024-return-addresses",
  statements: ({ appKeys }) => [`alter table ${appKeys} add column return_addresses jsonb not null default '[]'`],
};
