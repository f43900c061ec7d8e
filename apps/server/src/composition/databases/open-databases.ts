import { Database } from "@sallyport/core";
import type { DatabaseDirectory } from "@sallyport/http";
import type { Configuration } from "../../configuration/index.ts";
import type { StorageEngines } from "../storages/storage-engines.ts";

/** The configured databases by alias; one without storage is `null`. */
export async function openDatabases(
  { databases, limits }: Pick<Configuration, "databases" | "limits">,
  engines: StorageEngines,
): Promise<DatabaseDirectory> {
  const entries = await Promise.all(
    databases.map(async ({ alias, name, timeZone, clientHash, sessions, locks, throttle, audit, storage }) => {
      if (storage === null) return [alias, null] as const;
      const policy = { timeZone, clientHash, sessions, locks, throttle, audit };
      return [alias, new Database({ alias, name, policy, storage: await engines.open(storage), answerBytes: limits.answerBytes })] as const;
    }),
  );
  return new Map(entries);
}
