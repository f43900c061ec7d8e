import type { Migration } from "./migration.ts";

/** The recycle bin knows who recycled an object, and is listed and counted by that. */
export const recycledBy: Migration = {
  name: "0012-recycled-by",
  statements: ({ departures }) => [
    `alter table ${departures} add column if not exists deleted_by bigint`,
    `create index if not exists departures_deleted_by on ${departures} (deleted_by, recycled, departed_at, oid)`,
    `create index if not exists departures_departed_at on ${departures} (recycled, departed_at, oid)`,
  ],
};
