import type { Repositories } from "@sallyport/storage";
import type { Database } from "@sallyport/core";
import type { RunningServer } from "../src/index.ts";

/** A database of a server. */
export function databaseOf({ databases }: RunningServer, alias = ""): Database {
  const database = databases.get(alias);
  if (!database) throw new Error(`There is no database "${alias}".`);
  return database;
}

/** The repositories of a database of a server. */
export const repositoriesOf = (server: RunningServer, alias = ""): Repositories =>
  databaseOf(server, alias).storage.repositories;
