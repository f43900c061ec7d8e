import { functions } from "../functions/functions.ts";
import { entry } from "./0001-entry.ts";
import { objects } from "./0002-objects.ts";
import type { Migration } from "./migration.ts";

/** All migrations, in their order. Procedures come last: they work with tables as all migrations leave them. */
export const migrations: readonly Migration[] = [entry, objects, ...functions];
