import type { Storage } from "./storage.ts";

/**
 * What the module of an adapter exports under the name `openStorage`, for servers that are configured with it: opens
 * one database. `options` are those of the configuration, unchecked. Throws an error whose message tells the operator, without a
 * secret, why it cannot; a database that cannot be reached at the moment is no reason, calls answer 704 as long as that lasts.
 */
export type OpenStorage = (options: Readonly<Record<string, unknown>>) => Storage | Promise<Storage>;
