import { openSessionFunction } from "./open-session-function.ts";
import type { Migration } from "./migration.ts";

/** Sessions are opened with the way in that they came, and those of one custom account or link are found by it; the others are in neither index. */
export const entrances: Migration = {
  name: "0013-entrances",
  statements: (tables) => [
    `drop function if exists ${tables.openSession} (bytea, text, text, bigint, jsonb, text, float8, float8, float8, integer, bigint, bigint)`,
    openSessionFunction(tables),
    `create index sessions_custom_account on ${tables.sessions} (custom_account) where custom_account is not null`,
    `create index sessions_identity_link on ${tables.sessions} (identity_link) where identity_link is not null`,
  ],
};
