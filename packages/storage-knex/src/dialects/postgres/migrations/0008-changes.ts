import type { Migration } from "./migration.ts";
import { stamped, stampOffsetFunction, stampRowFunction } from "./stamps.ts";

/** Lets those who follow the changes of objects go on from where they were. */
export const changes: Migration = {
  name: "0008-changes",
  statements: (tables) => [
    stampOffsetFunction(tables, 0n),
    stampRowFunction(tables),
    ...stamped(tables, tables.objects, "objects"),
  ],
};
