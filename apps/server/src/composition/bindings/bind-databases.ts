import type { Container } from "inversify";
import { Sweeper } from "../../operations/sweeper.ts";
import { DatabasePreparation } from "../databases/database-preparation.ts";
import { DemoSeeder } from "../databases/demo-seeder.ts";
import { openDatabases } from "../databases/open-databases.ts";
import { identifiers } from "../identifiers.ts";

/** The databases, and who looks after them. */
export function bindDatabases(container: Container): void {
  const { configuration, logger, engines, databases, preparation, sweeper, hasher, digests, demoSeeder } = identifiers;
  container
    .bind(databases)
    .toResolvedValue((configured, opener) => openDatabases(configured, opener), [configuration, engines]);
  container.bind(sweeper).toResolvedValue(
    (served, { sessions }, log) => new Sweeper(served, sessions.sweepInterval, log),
    [databases, configuration, logger],
  );
  container.bind(demoSeeder).toResolvedValue((...parts) => new DemoSeeder(...parts), [hasher, digests, logger]);
  container.bind(preparation).toResolvedValue(
    (served, { databases: configurations, demo }, log, seeder) =>
      new DatabasePreparation({
        databases: served,
        configurations,
        logger: log,
        afterMigration: async (database) => {
          if (demo) await seeder.seed(database);
        },
      }),
    [databases, configuration, logger, demoSeeder],
  );
}
