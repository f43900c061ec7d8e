import { reserveUserNames } from "@sallyport/core";
import { DatabaseOpener } from "../../databases/database-opener.ts";
import { containsDemo } from "../../demo/index.ts";
import { databaseMacros, macroLimits } from "../../macros/macro-folders.ts";
import { FileKeeper } from "../../background/file-keeper.ts";
import { BanTimer } from "../../background/ban-timer.ts";
import { Sweeper } from "../../background/sweeper.ts";
import { WriterWatch } from "../../background/writer-watch.ts";
import { classFactory, components, type Factories, functionFactory } from "../components.ts";
import { examineSettings } from "../../doctor/examine-database.ts";
import { DatabasePreparation } from "../storages/database-preparation.ts";
import { DemoAdministrationKeys, DemoSeeder } from "../storages/demo-data.ts";
import { openFileStores } from "../storages/file-stores.ts";

const { configuration, databases, demoSeeder, digests, logger, tuning } = components;

/** Databases, their preparation and their cleanup. */
export const databaseFactories = {
  databaseOpener: functionFactory(
    (configured, tuned, worker, folders, runtime, ...[reports, engines, digest, fileStores, fileCipher, log]) => {
      const macros = { folders, runtime, reports, limits: macroLimits(configured) };
      return new DatabaseOpener({
        configuration: configured,
        limits: tuned.policy,
        engines,
        digests: digest,
        fileStores,
        fileCipher,
        logger: log,
        macrosOf: (database) => databaseMacros(database, macros),
        isWorker: worker !== null,
      });
    },
    [
      configuration,
      tuning,
      components.worker,
      components.macroFolders,
      components.macroRuntime,
      components.macroReports,
      components.engines,
      digests,
      components.fileStores,
      components.fileCipher,
      logger,
    ],
  ),
  databases: functionFactory(
    (opener, configured) => opener.openAll(configured.databases),
    [components.databaseOpener, configuration],
  ),
  fileStores: functionFactory(openFileStores, [configuration]),
  fileKeeper: functionFactory(
    (served, stores, log) => new FileKeeper(served, stores, log),
    [databases, components.fileStores, logger],
  ),
  sweeper: functionFactory(
    (served, tuned, log) => new Sweeper(served, tuned.cleanupInterval, log),
    [databases, tuning, logger],
  ),
  banTimer: classFactory(BanTimer, [databases, logger]),
  writerWatch: classFactory(WriterWatch, [databases, components.engines, components.metrics, logger, components.now]),
  demoSeeder: classFactory(DemoSeeder, [components.hasher, digests, logger]),
  demoAdministrationKeys: functionFactory(
    ({ demoFolder }, random, digest) => new DemoAdministrationKeys(demoFolder, random, digest),
    [configuration, components.random, digests],
  ),
  preparation: functionFactory(
    (
      served,
      { demo, administration, console: page },
      log,
      seeder,
      administrationKeys,
      ...[providerEntries, keyRings, engines, worker]
    ) =>
      new DatabasePreparation({
        databases: served,
        logger: log,
        keyRings,
        demo,
        // One process tells it for all workers.
        offersSetUp: administration.enabled && page.enabled && (worker === null || worker.number === 1),
        examineSettings: async (database) => {
          const facts = database.storage === null ? null : await engines.facts(database.storage);
          return facts === null ? [] : [...examineSettings(facts, database)];
        },
        afterMigration: async (database, hasChanged) => {
          if (hasChanged) await reserveUserNames(database);
          if (!demo || !containsDemo(await seeder.seed(database))) return;
          if (administration.enabled) await administrationKeys.provide(database);
          await providerEntries?.register(database);
        },
      }),
    [
      databases,
      configuration,
      logger,
      demoSeeder,
      components.demoAdministrationKeys,
      components.demoProviderEntries,
      components.keyRings,
      components.engines,
      components.worker,
    ],
  ),
} satisfies Factories;
