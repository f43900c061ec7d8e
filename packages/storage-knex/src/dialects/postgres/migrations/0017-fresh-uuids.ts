import { insertObjectFunction } from "./insert-object-function.ts";
import { insertObjectsFunction } from "./insert-objects-function.ts";
import type { Migration } from "./migration.ts";

/** UUIDs that the service has just made are not looked up among those of objects that are gone. */
export const freshUuids: Migration = {
  name: "0017-fresh-uuids",
  statements: (tables) => [insertObjectFunction(tables), insertObjectsFunction(tables)],
};
