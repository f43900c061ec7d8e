import type { Migration } from "./migration.ts";
import { openSessionProcedure } from "./open-session-procedure.ts";
import { settleTalliesProcedure } from "./settle-tallies-procedure.ts";

/** Sessions are opened with the way in that they came, and those of one custom account or link are found by it. Tallies name a provider. */
export const entrances: Migration = {
  name: "0006-entrances",
  statements: (tables) => [
    openSessionProcedure(tables),
    settleTalliesProcedure(tables),
    `create index if not exists sessions_custom_account on ${tables.sessions} (custom_account)`,
    `create index if not exists sessions_identity_link on ${tables.sessions} (identity_link)`,
  ],
};
