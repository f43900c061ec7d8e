import type { Database } from "@sallyport/core";
import type { Application } from "@sallyport/http";
import type { Container } from "inversify";
import { type Configuration, type DatabaseConfiguration, restartSections } from "../configuration/index.ts";
import { DatabaseChanges } from "../databases/database-changes.ts";
import { MoveFollower } from "../databases/move-follower.ts";
import type { ServedDatabases } from "../databases/served-databases.ts";
import type { DemoState } from "../demo/index.ts";
import { identifiers } from "./identifiers.ts";
import { startWarnings } from "./supplied-files.ts";

/** The parts of a server besides its listener. */
export interface ServerParts {
  readonly databases: ServedDatabases;
  readonly changes: DatabaseChanges;
  readonly application: Application;
  readonly demoStates: ReadonlyMap<string, DemoState>;
  readonly demoAdministrationKeys: ReadonlyMap<string, string>;
  /** Prepares the file stores and the databases. */
  prepare(): Promise<void>;
  /** Starts the timers. Work that one process does for all workers of a server is that of the first one. */
  start(worker: { readonly isFirst: boolean }): void;
  readMacros(): void;
  /** Applies the databases of another configuration, and reads the macro directories again. */
  reload(next: Configuration): Promise<void>;
  /** Stops the timers. Requests are still served. */
  stopTimers(): void;
  /** Writes what is waiting and releases all resources. No request may be in progress. */
  release(): Promise<void>;
}

/** Creates the parts of a container. */
export async function openParts(container: Container): Promise<ServerParts> {
  const configuration = container.get(identifiers.configuration);
  const logger = container.get(identifiers.logger);
  const databases = await container.getAsync(identifiers.databases);
  const preparation = await container.getAsync(identifiers.preparation);
  const seeder = await container.getAsync(identifiers.demoSeeder);
  const administrationKeys = await container.getAsync(identifiers.demoAdministrationKeys);
  const sweeper = await container.getAsync(identifiers.sweeper);
  const banTimer = await container.getAsync(identifiers.banTimer);
  const writerWatch = await container.getAsync(identifiers.writerWatch);
  const fileKeeper = await container.getAsync(identifiers.fileKeeper);
  const indexKeeper = await container.getAsync(identifiers.indexKeeper);
  const macroFolders = await container.getAsync(identifiers.macroFolders);
  const macroRuntime = await container.getAsync(identifiers.macroRuntime);
  const mailRelay = await container.getAsync(identifiers.mailRelay);
  const licenceRelay = await container.getAsync(identifiers.licenceRelay);
  const refusalWriter = await container.getAsync(identifiers.refusalWriter);
  const trafficWriter = await container.getAsync(identifiers.trafficWriter);
  const metrics = await container.getAsync(identifiers.metrics);
  const application = await container.getAsync(identifiers.application);
  const prepare = async (settings: DatabaseConfiguration, database: Database): Promise<void> => {
    await fileKeeper.prepare(database);
    await preparation.prepare(settings, database);
  };
  const opener = await container.getAsync(identifiers.databaseOpener);
  const changes = new DatabaseChanges({
    databases,
    opener,
    engines: container.get(identifiers.engines),
    requests: application.requests,
    prepare,
    finish: async (database) => {
      await Promise.all([refusalWriter.finish(database), trafficWriter.finish(database)]);
      await Promise.all([mailRelay?.finish(database), licenceRelay?.finish(database)]);
      if (!databases.has(database.alias)) metrics.forget(database.alias);
    },
    drainTimeout: configuration.server.timeouts.drain,
    logger,
  });
  const follower = new MoveFollower({
    databases,
    changes,
    wrapping: await container.getAsync(identifiers.keyWrapping),
    logger,
  });
  opener.onMove = (alias, former, notice) => void follower.follow(alias, former, notice);
  return {
    databases,
    changes,
    application,
    demoStates: seeder.states,
    demoAdministrationKeys: administrationKeys.keys,
    readMacros: () => macroFolders.refresh(),
    reload: async (next) => {
      const known = new Set(startWarnings(configuration));
      for (const warning of startWarnings(next)) if (!known.has(warning)) logger.warn(warning);
      const others = restartSections(configuration, next);
      if (others.length > 0)
        logger.warn(`A reload applies databases only. Restart the server for: ${others.join(", ")}.`);
      macroFolders.refresh();
      await changes.apply(next.databases.map((each) => follower.current(each)));
      macroFolders.retain(
        new Set(Array.from(databases.configurations.values(), ({ macros: { directory } }) => directory)),
      );
      logger.info("Reloaded");
    },
    prepare: async () => {
      await Promise.all(
        Array.from(databases.configurations.values(), async (each) => {
          const database = databases.get(each.alias);
          if (database) await prepare(each, database);
        }),
      );
    },
    start: ({ isFirst }) => {
      trafficWriter.start();
      macroFolders.start();
      // Each process sends what it has queued without waiting for the poll of another.
      mailRelay?.start(databases);
      licenceRelay?.start(databases);
      if (!isFirst) return;
      sweeper.start();
      banTimer.start();
      writerWatch.start();
      fileKeeper.start();
      indexKeeper.start(databases, container.get(identifiers.tuning).cleanupInterval);
    },
    stopTimers: () => {
      preparation.stop();
      sweeper.stop();
      banTimer.stop();
      writerWatch.stop();
      fileKeeper.stop();
      indexKeeper.stop();
      macroFolders.stop();
    },
    release: async () => {
      await changes.stop();
      await Promise.all([refusalWriter.stop(), trafficWriter.stop()]);
      // The finished requests may have queued messages. They are durable, so the next server sends them.
      await Promise.all([mailRelay?.stop(), licenceRelay?.stop()]);
      (await container.getAsync(identifiers.licenceReceiver))?.close();
      await (await container.getAsync(identifiers.mailer))?.close();
      await container.get(identifiers.credentialsCipher).close();
      await macroRuntime.close();
      await container.get(identifiers.engines).close();
    },
  };
}
