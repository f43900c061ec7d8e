import { Database, type Digests, emptyLibrary, type MacroLibrary } from "@sallyport/core";
import type { DatabaseDirectory } from "@sallyport/http";
import type { Configuration, DatabaseConfiguration } from "../../configuration/index.ts";
import type { StorageEngines } from "../storages/storage-engines.ts";

/** The configured databases by alias; one without storage is `null`. */
export async function openDatabases(
  { databases, limits }: Pick<Configuration, "databases" | "limits">,
  engines: StorageEngines,
  digests: Digests,
  macrosOf: (database: DatabaseConfiguration) => MacroLibrary = () => emptyLibrary,
): Promise<DatabaseDirectory> {
  const entries = await Promise.all(
    databases.map(async (configured) => {
      const { alias, name, timeZone, clientHash, sessions, locks, objects, throttle, audit, storage } = configured;
      if (storage === null) return [alias, null] as const;
      const policy = { timeZone, clientHash, sessions, locks, objects, throttle, audit };
      const opened = await engines.open(storage);
      return [
        alias,
        new Database({
          alias,
          name,
          policy,
          storage: opened,
          digests,
          answerBytes: limits.answerBytes,
          macros: macrosOf(configured),
        }),
      ] as const;
    }),
  );
  return new Map(entries);
}
