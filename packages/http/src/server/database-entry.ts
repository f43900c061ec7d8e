import type { Database } from "@sallyport/core";

/** A configured alias: a database, or `null` while it has no storage settings (705). */
export type DatabaseEntry = Database | null;

/** The databases by alias; the empty alias is the database without one. */
export type DatabaseDirectory = ReadonlyMap<string, DatabaseEntry>;
