import type { Database } from "@sallyport/core";
import type { Application } from "@sallyport/http";
import type { Container } from "inversify";
import { type Configuration, type DatabaseConfiguration, restartSections } from "../configuration/index.ts";
import { Patrol } from "../background/patrol.ts";
import { DatabaseChanges } from "../databases/database-changes.ts";
import { MoveFollower } from "../databases/move-follower.ts";
import type { ServedDatabases } from "../databases/served-databases.ts";
import type { DemoState } from "../demo/index.ts";
import { components } from "./components.ts";
import { startWarnings } from "./supplied-files.ts";

/** Databases that the start prepares at once. */
const preparedAtOnce = 8;

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
  const configuration = container.get(components.configuration);
  const logger = container.get(components.logger);
  const databases = await container.getAsync(components.databases);
  const preparation = await container.getAsync(components.preparation);
  const seeder = await container.getAsync(components.demoSeeder);
  const administrationKeys = await container.getAsync(components.demoAdministrationKeys);
  const sweeper = await container.getAsync(components.sweeper);
  const banTimer = await container.getAsync(components.banTimer);
  const writerWatch = await container.getAsync(components.writerWatch);
  const fileKeeper = await container.getAsync(components.fileKeeper);
  const indexKeeper = await container.getAsync(components.indexKeeper);
  const macroFolders = await container.getAsync(components.macroFolders);
  const macroRuntime = await container.getAsync(components.macroRuntime);
  const mailRelay = await container.getAsync(components.mailRelay);
  const licenceRelay = await container.getAsync(components.licenceRelay);
  const refusalWriter = await container.getAsync(components.refusalWriter);
  const trafficWriter = await container.getAsync(components.trafficWriter);
  const metrics = await container.getAsync(components.metrics);
  const application = await container.getAsync(components.application);
  const prepare = async (settings: DatabaseConfiguration, database: Database): Promise<void> => {
    await fileKeeper.prepare(database);
    await preparation.prepare(settings, database);
  };
  const opener = await container.getAsync(components.databaseOpener);
  databases.isActive = (database) => application.requests.of(database).isActive;
  const prepared = new WeakSet<Database>();
  databases.onWake(async (database) => {
    const settings = databases.configurations.get(database.alias);
    if (settings !== undefined && !prepared.has(database)) {
      prepared.add(database);
      await fileKeeper.prepare(database);
      // Not awaited, as requests get 704 or 705 until it is done.
      void preparation.prepare(settings, database);
    }
    // A ban that has begun meanwhile ends sessions before the first request.
    await banTimer.apply(database);
  });
  const patrol = new Patrol(databases, async (database) => {
    await banTimer.apply(database);
    await Promise.all([mailRelay?.poll(database), licenceRelay?.poll(database)]);
    await sweeper.sweep(database);
    indexKeeper.begin(database);
    await indexKeeper.settled();
    await fileKeeper.collectLater(database);
  });
  const changes = new DatabaseChanges({
    databases,
    opener,
    engines: container.get(components.engines),
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
    wrapping: await container.getAsync(components.keyWrapping),
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
      const earlier = new Set(startWarnings(configuration));
      for (const warning of startWarnings(next)) if (!earlier.has(warning)) logger.warn(warning);
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
      const waiting = databases.configurations.values();
      // More at once would wait for connections for longer than calls may.
      const prepareAll = async () => {
        for (const each of waiting) {
          const database = databases.get(each.alias);
          if (database && !databases.isResting(database)) await prepare(each, database);
        }
      };
      await Promise.all(Array.from({ length: preparedAtOnce }, prepareAll));
    },
    start: ({ isFirst }) => {
      trafficWriter.start();
      macroFolders.start();
      // Each process sends what it has queued without waiting for the poll of another.
      mailRelay?.start(databases);
      licenceRelay?.start(databases);
      // A database can be awake in this worker only.
      if (isFirst || databases.canRest) banTimer.start();
      if (!isFirst) return;
      sweeper.start();
      patrol.start();
      writerWatch.start();
      fileKeeper.start();
      indexKeeper.start(databases, container.get(components.tuning).cleanupInterval);
    },
    stopTimers: () => {
      preparation.stop();
      sweeper.stop();
      patrol.stop();
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
      (await container.getAsync(components.licenceReceiver))?.close();
      await (await container.getAsync(components.mailer))?.close();
      await container.get(components.credentialsCipher).close();
      await container.get(components.hashes).close();
      await macroRuntime.close();
      await container.get(components.engines).close();
    },
  };
}
