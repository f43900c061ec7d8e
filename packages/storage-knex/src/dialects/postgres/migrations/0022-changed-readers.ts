import type { Migration } from "./migration.ts";
import { updateObjectsFunction } from "./update-objects-function.ts";

/** Changes of objects can change their readers. */
export const changedReaders: Migration = {
  name: "0022-changed-readers",
  statements: (tables) => [updateObjectsFunction(tables)],
};
