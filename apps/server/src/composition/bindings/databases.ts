import {
  CollectFiles,
  Database,
  type Digests,
  type FileCipher,
  type FileStore,
  type MacroLibrary,
  reserveUserNames,
} from "@sallyport/core";
import type { DatabaseDirectory } from "@sallyport/http";
import type { Configuration, DatabaseConfiguration } from "../../configuration/index.ts";
import { containsDemo } from "../../demo/index.ts";
import { databaseMacros, macroLimits } from "../../macros/macro-folders.ts";
import { FileKeeper } from "../../operations/file-keeper.ts";
import { BanTimer } from "../../operations/ban-timer.ts";
import { Sweeper } from "../../operations/sweeper.ts";
import { classFactory, components, type Factories, functionFactory } from "../components.ts";
import { DatabasePreparation } from "../storages/database-preparation.ts";
import { DemoSeeder } from "../storages/demo-data.ts";
import { openFileStores } from "../storages/file-stores.ts";
import type { StorageEngines } from "../storages/storage-engines.ts";

const { configuration, databases, demoSeeder, digests, logger } = components;

/** Databases, their preparation and their cleanup. */
export const databaseFactories = {
  databases: functionFactory(
    (configured, engines, digest, fileStores, fileCipher, ...[folders, runtime, reports]) => {
      const macros = { folders, runtime, reports, limits: macroLimits(configured) };
      return openDatabases(configured, engines, {
        digests: digest,
        fileStores,
        fileCipher,
        macrosOf: (database) => databaseMacros(database, macros),
      });
    },
    [
      configuration,
      components.engines,
      digests,
      components.fileStores,
      components.fileCipher,
      components.macroFolders,
      components.macroRuntime,
      components.macroReports,
    ],
  ),
  fileStores: functionFactory(openFileStores, [configuration]),
  fileKeeper: functionFactory(
    (served, stores, log) => new FileKeeper(served, stores, new CollectFiles(), log),
    [databases, components.fileStores, logger],
  ),
  sweeper: functionFactory(
    (served, { cleanup }, log) => new Sweeper(served, cleanup.interval, log),
    [databases, configuration, logger],
  ),
  banTimer: classFactory(BanTimer, [databases, logger]),
  demoSeeder: classFactory(DemoSeeder, [components.hasher, digests, logger]),
  preparation: functionFactory(
    (served, { databases: configurations, demo }, log, seeder, providerEntries, keyRings) =>
      new DatabasePreparation({
        databases: served,
        configurations,
        logger: log,
        keyRings,
        demo,
        afterMigration: async (database, hasChanged) => {
          if (hasChanged) await reserveUserNames(database);
          if (demo && containsDemo(await seeder.seed(database))) await providerEntries?.register(database);
        },
      }),
    [databases, configuration, logger, demoSeeder, components.demoProviderEntries, components.keyRings],
  ),
} satisfies Factories;

interface DatabaseNeeds {
  readonly digests: Digests;
  readonly fileStores: ReadonlyMap<string, FileStore>;
  readonly fileCipher: FileCipher;
  readonly macrosOf: (database: DatabaseConfiguration) => MacroLibrary;
}

/** The configured databases by alias; `null` for one without storage. */
async function openDatabases(
  { databases: configured, files: limits, limits: { maxResponseBytes: answerBytes } }: Configuration,
  engines: StorageEngines,
  { fileStores, macrosOf, ...shared }: DatabaseNeeds,
): Promise<DatabaseDirectory> {
  const entries = configured.map(async (each) => {
    const {
      alias,
      name,
      timeZone,
      clientHash,
      sessions,
      rates,
      locks,
      objects,
      devices,
      throttle,
      audit,
      explanations,
    } = each;
    if (each.storage === null) return [alias, null] as const;
    const policy = {
      timeZone,
      clientHash,
      sessions,
      rates,
      locks,
      objects,
      devices,
      throttle,
      audit,
      explanations,
      files: limits,
    };
    const files = fileStores.get(alias) as FileStore;
    const storage = await engines.open(each.storage);
    const macros = macrosOf(each);
    return [alias, new Database({ alias, name, policy, storage, files, answerBytes, macros, ...shared })] as const;
  });
  return new Map(await Promise.all(entries));
}
