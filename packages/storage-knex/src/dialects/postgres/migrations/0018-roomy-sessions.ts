import type { Migration } from "./migration.ts";
import { openSessionFunction } from "./open-session-function.ts";

/** Sessions are opened side by side as long as the limit of the database is far. */
export const roomySessions: Migration = {
  name: "0018-roomy-sessions",
  statements: (tables) => [openSessionFunction(tables)],
};
