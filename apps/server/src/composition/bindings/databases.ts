import { Database, type Digests, emptyLibrary, type MacroLibrary, reserveUserNames } from "@sallyport/core";
import type { DatabaseDirectory } from "@sallyport/http";
import type { Container } from "inversify";
import type { Configuration, DatabaseConfiguration } from "../../configuration/index.ts";
import { holdsDemo } from "../../demo/index.ts";
import { databaseMacros } from "../../macros/macro-folders.ts";
import { macroLimits } from "../../macros/macro-limits.ts";
import { Sweeper } from "../../operations/sweeper.ts";
import { DatabasePreparation } from "../storages/database-preparation.ts";
import { DemoSeeder } from "../storages/demo-data.ts";
import { identifiers } from "../identifiers.ts";
import type { StorageEngines } from "../storages/storage-engines.ts";

/** The databases, and who looks after them. */
export function bindDatabases(container: Container): void {
  const { configuration, logger, engines, databases, preparation, sweeper, hasher, digests, demoSeeder } = identifiers;
  container.bind(databases).toResolvedValue(
    (configured, opener, digested, ...[folders, runtime, reports]) => {
      const macros = { folders, runtime, reports, limits: macroLimits(configured) };
      return openDatabases(configured, opener, digested, (database) => databaseMacros(database, macros));
    },
    [configuration, engines, digests, identifiers.macroFolders, identifiers.macroRuntime, identifiers.macroReports],
  );
  container
    .bind(sweeper)
    .toResolvedValue(
      (served, { sessions }, log) => new Sweeper(served, sessions.sweepInterval, log),
      [databases, configuration, logger],
    );
  container.bind(demoSeeder).toResolvedValue((...parts) => new DemoSeeder(...parts), [hasher, digests, logger]);
  container.bind(preparation).toResolvedValue(
    (served, { databases: configurations, demo }, log, seeder, providerEntries, keyRings) =>
      new DatabasePreparation({
        databases: served,
        configurations,
        logger: log,
        keyRings,
        demo,
        afterMigration: async (database, hasChanged) => {
          if (hasChanged) await reserveUserNames(database);
          if (demo && holdsDemo(await seeder.seed(database))) await providerEntries?.register(database);
        },
      }),
    [databases, configuration, logger, demoSeeder, identifiers.demoProviderEntries, identifiers.keyRings],
  );
}

/** The configured databases by alias; one without storage is `null`. */
async function openDatabases(
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
