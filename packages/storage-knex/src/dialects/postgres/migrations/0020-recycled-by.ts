import type { Migration } from "./migration.ts";

/** The recycle bin knows who recycled an object, and is listed and counted by that. */
export const recycledBy: Migration = {
  name: "0020-recycled-by",
  statements: ({ departures }) => [
    `alter table ${departures} add column deleted_by bigint`,
    `create index departures_deleted_by on ${departures} (deleted_by, departed_at, oid) where attributes is not null`,
    `create index departures_departed_at on ${departures} (departed_at, oid) where attributes is not null and leader = oid`,
  ],
};
