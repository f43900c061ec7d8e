import { reserveUserNames } from "@sallyport/core";
import type { Container } from "inversify";
import { holdsDemo } from "../../demo/index.ts";
import { databaseMacros } from "../../macros/database-macros.ts";
import { macroLimits } from "../../macros/macro-limits.ts";
import { Sweeper } from "../../operations/sweeper.ts";
import { DatabasePreparation } from "../databases/database-preparation.ts";
import { DemoSeeder } from "../databases/demo-seeder.ts";
import { openDatabases } from "../databases/open-databases.ts";
import { identifiers } from "../identifiers.ts";

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
