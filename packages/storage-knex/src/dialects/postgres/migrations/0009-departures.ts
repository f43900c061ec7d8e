import type { Tables } from "../tables.ts";
import { holdObjectsFunction } from "./hold-objects-function.ts";
import { insertObjectsFunction } from "./insert-objects-function.ts";
import type { Migration } from "./migration.ts";
import { removeAccountsFunction } from "./remove-accounts-function.ts";
import { stamped } from "./stamps.ts";
import { updateObjectsFunction } from "./update-objects-function.ts";

/** What is left of objects that are gone. Those who write look at it from now on. */
export const departures: Migration = {
  name: "0009-departures",
  statements: (tables) => [
    ...departed(tables),
    holdObjectsFunction(tables),
    insertObjectsFunction(tables),
    updateObjectsFunction(tables),
    removeAccountsFunction(tables),
  ],
};

/**
 * A table of its own, so that what reads live objects neither asks nor meets those that are gone. A row keeps attributes
 * if its object can return. Objects that went together can be found by the one that they went with.
 */
function departed(tables: Tables): string[] {
  const { departures: table } = tables;
  return [
    `create table ${table} (
      oid bigint primary key,
      uuid uuid not null unique,
      class text collate "C" not null,
      version integer not null,
      departed_at timestamptz(3) not null,
      readers bigint[],
      attributes jsonb,
      leader bigint not null
    )`,
    `create index departures_leader on ${table} (leader) where attributes is not null`,
    `create index departures_class on ${table} (class) where attributes is not null`,
    ...stamped(tables, table, "departures"),
  ];
}
