import type { FileStore, Storage } from "@sallyport/storage";
import { Database, type DatabaseSettings, type MacroLibrary, type PolicyLimits } from "@sallyport/core";
import type { MoveNotice } from "@sallyport/storage-knex";
import type { Logger } from "pino";
import { StartError } from "../composition/start-error.ts";
import type { StorageEngines } from "../composition/storages/storage-engines.ts";
import {
  type Configuration,
  type DatabaseConfiguration,
  isOnServer,
  type ServerStorage,
} from "../configuration/index.ts";
import { ServedDatabases } from "./served-databases.ts";

interface OpenerParts extends Pick<DatabaseSettings, "digests" | "fileCipher"> {
  readonly configuration: Pick<Configuration, "files" | "limits">;
  readonly limits: PolicyLimits;
  readonly engines: StorageEngines;
  readonly fileStores: { of(alias: string): FileStore };
  readonly macrosOf: (database: DatabaseConfiguration) => MacroLibrary;
  readonly logger: Logger;
  /** Whether this process is one of several workers. */
  readonly isWorker: boolean;
}

/** Opens databases as their configurations tell. */
export class DatabaseOpener {
  /** Called while calls fail because a database was moved from a place. */
  onMove: (alias: string, former: ServerStorage, notice: MoveNotice) => void = () => {};

  constructor(private readonly parts: OpenerParts) {}

  /** Opens all databases of a configuration. */
  async openAll(configurations: readonly DatabaseConfiguration[]): Promise<ServedDatabases> {
    const served = new ServedDatabases();
    const opened = await Promise.all(configurations.map((each) => this.open(each)));
    for (const [index, each] of configurations.entries()) served.serve(each, opened[index] ?? null);
    return served;
  }

  /** `null` without storage. `storage`: one that is open already. Throws a `StartError` if none can be opened. */
  async open(configuration: DatabaseConfiguration, storage?: Storage): Promise<Database | null> {
    const {
      alias,
      name,
      storage: place,
      migrateOnStart: _migrateOnStart,
      macros: _macros,
      throttle: { user, ip },
      ...settings
    } = configuration;
    if (place === null) return null;
    const { configuration: common, limits, engines, fileStores, macrosOf, digests, fileCipher } = this.parts;
    const open = storage ?? (await this.openStorage(alias, place));
    const turns = engines.turnsOf(open);
    const { delaysOfUsers } = limits;
    return new Database({
      alias,
      name,
      policy: {
        ...settings,
        throttle: {
          user: { ...user, ...delaysOfUsers, resetAfter: Math.max(delaysOfUsers.resetAfter, user.maxDelay) },
          ip: { ...ip, ...limits.delaysOfAddresses },
        },
        devices: { ...settings.devices, perUser: limits.devicesPerUser },
        explanations: { ...settings.explanations, perNetwork: limits.explanationsPerNetwork },
        files: {
          ...common.files,
          maxOpenUploads: limits.openUploadsPerUser,
          uploadLifetime: limits.uploadLifetime,
        },
      },
      storage: open,
      ...(turns === undefined ? {} : { turns }),
      files: fileStores.of(alias),
      ...(fileCipher === undefined ? {} : { fileCipher }),
      digests,
      answerBytes: common.limits.maxResponseBytes,
      macros: macrosOf(configuration),
    });
  }

  private async openStorage(alias: string, place: NonNullable<DatabaseConfiguration["storage"]>): Promise<Storage> {
    const { engines, logger, isWorker } = this.parts;
    const storage = await engines.open(place, {
      onTimeline: ({ level, message, reason }) =>
        logger[level]({ alias, ...(reason === null ? {} : { reason }) }, message),
      onMove: (notice) => isOnServer(place) && this.onMove(alias, place, notice),
    });
    if (!isWorker || storage.capabilities.severalProcesses) return storage;
    await engines.release(storage);
    const which = alias === "" ? "the database with the empty alias" : `the database "${alias}"`;
    throw new StartError(`Only one process can use the storage of ${which}. Set WORKERS to 1.`);
  }
}
