import type { Migration } from "./migration.ts";
import { openSessionProcedure } from "./open-session-procedure.ts";

/** Sessions of one device live side by side, up to a limit. */
export const sessionsPerDevice: Migration = {
  name: "0013-sessions-per-device",
  statements: (tables) => [
    `alter table ${tables.sessions} drop index sessions_device, add index sessions_device (user_id, app_key_id, device_id)`,
    openSessionProcedure(tables),
  ],
};
