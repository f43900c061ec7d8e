import type { Database } from "@sallyport/core";

/** A configured alias: a database, or `null` while it has no storage settings (705). */
export type DatabaseEntry = Database | null;

/** The databases by alias; one of them may have the empty alias. */
export type DatabaseDirectory = ReadonlyMap<string, DatabaseEntry>;
