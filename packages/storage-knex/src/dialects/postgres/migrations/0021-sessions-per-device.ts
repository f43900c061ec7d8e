import type { Migration } from "./migration.ts";
import { openSessionFunction } from "./open-session-function.ts";

/** Sessions of one device live side by side, up to a limit. */
export const sessionsPerDevice: Migration = {
  name: "0021-sessions-per-device",
  statements: (tables) => [
    `drop index "${tables.schema}".sessions_device`,
    `create index sessions_device on ${tables.sessions} (user_id, app_key_id, device_id)`,
    `drop function if exists ${tables.openSession} (bytea, text, text, bigint, jsonb, text, float8, float8, float8, integer, bigint, bigint, uuid, integer, uuid)`,
    openSessionFunction(tables),
  ],
};
