import { isDeepStrictEqual } from "node:util";
import type { Storage } from "@sallyport/storage";
import type { Database } from "@sallyport/core";
import type { DatabaseRequests } from "@sallyport/http";
import type { Logger } from "pino";
import { directoriesWithoutDatabase } from "../composition/storages/embedded.ts";
import type { DatabaseConfiguration, StorageConfiguration } from "../configuration/index.ts";
import type { DatabaseOpener } from "./database-opener.ts";
import type { ServedDatabases } from "./served-databases.ts";

interface ChangeParts {
  readonly databases: ServedDatabases;
  readonly opener: Pick<DatabaseOpener, "open">;
  readonly engines: { release(storage: Storage): Promise<void> };
  readonly requests: Pick<DatabaseRequests, "withdraw">;
  /** Prepares a database before it is served. */
  readonly prepare: (configuration: DatabaseConfiguration, database: Database) => Promise<void>;
  /** Finishes the work of the server for a database that is no longer served. */
  readonly finish: (database: Database) => Promise<void>;
  /** Milliseconds that requests in progress have before the storage of their database closes. */
  readonly drainTimeout: number;
  readonly logger: Logger;
}

/** An opened database that is not served yet. */
interface Successor {
  readonly configuration: DatabaseConfiguration;
  readonly database: Database | null;
  /** Whether the database has the storage of its predecessor. */
  readonly keepsStorage: boolean;
}

/** Adds, changes and removes databases while the server runs, one change after the other. */
export class DatabaseChanges {
  private last: Promise<void> = Promise.resolve();
  /** Databases that are no longer served and not closed yet. */
  private readonly retiring = new Set<Promise<void>>();
  private isStopping = false;
  private endDrains = (): void => {};
  private readonly stopping = new Promise<false>((resolve) => {
    this.endDrains = () => resolve(false);
  });

  constructor(private readonly parts: ChangeParts) {}

  /**
   * Serves these databases instead of the present ones. Resolves when those that are no longer served are closed. Throws
   * if one cannot be opened; then nothing changes.
   */
  async apply(next: readonly DatabaseConfiguration[]): Promise<void> {
    await this.inTurn(async () => {
      // A directory that they use can be opened again.
      await this.retired();
      await this.change(next);
    });
    await this.retired();
  }

  /**
   * Serves one database with another configuration, made from the present one. It does not wait for databases that
   * earlier changes still close. Resolves when it is served. Throws a `TypeError` if there is no such alias.
   */
  replace(alias: string, next: (present: DatabaseConfiguration) => DatabaseConfiguration): Promise<void> {
    return this.inTurn(() => {
      const { configurations } = this.parts.databases;
      const present = configurations.get(alias);
      const configuration = present && next(present);
      if (configuration?.alias !== alias)
        throw new TypeError(`There is no database with the alias "${alias}" to replace.`);
      return this.change(Array.from(configurations.values(), (each) => (each.alias === alias ? configuration : each)));
    });
  }

  /** Ends the change in progress and its drains. Later changes are ignored. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.endDrains();
    await this.last;
    await this.retired();
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.last.then(() => (this.isStopping ? undefined : work()));
    this.last = done.catch(() => {});
    return done;
  }

  private async change(next: readonly DatabaseConfiguration[]): Promise<void> {
    const { configurations } = this.parts.databases;
    const aliases = new Set(next.map(({ alias }) => alias));
    const changed = next.filter((each) => !isDeepStrictEqual(each, configurations.get(each.alias)));
    const successors = await this.openAll(changed);
    // The shutdown closes them.
    if (this.isStopping) return;
    const removed = [...configurations.keys()].filter((alias) => !aliases.has(alias));
    for (const alias of removed) this.remove(alias);
    await Promise.all(successors.map((each) => this.serve(each)));
  }

  private async openAll(changed: readonly DatabaseConfiguration[]): Promise<readonly Successor[]> {
    for (const dataDir of await directoriesWithoutDatabase(changed))
      this.parts.logger.info({ dataDir }, "Creating database");
    const results = await Promise.allSettled(changed.map((each) => this.open(each)));
    const opened = results.flatMap((each) => (each.status === "fulfilled" ? each.value : []));
    const failure = results.find((each) => each.status === "rejected");
    if (failure === undefined) return opened;
    for (const { database, keepsStorage } of opened) if (database !== null && !keepsStorage) await this.close(database);
    throw failure.reason;
  }

  private async open(configuration: DatabaseConfiguration): Promise<Successor> {
    const { databases, opener, logger } = this.parts;
    const { alias, storage } = configuration;
    const former = databases.get(alias);
    const place = databases.configurations.get(alias)?.storage;
    if (!former || !isSamePlace(storage, place))
      return { configuration, database: await opener.open(configuration), keepsStorage: false };
    if (!isDeepStrictEqual(storage, place))
      logger.warn(
        { alias },
        "A reload does not change the statementTimeout of an embedded database. Restart the server.",
      );
    return { configuration, database: await opener.open(configuration, former.storage), keepsStorage: true };
  }

  private async serve({ configuration, database, keepsStorage }: Successor): Promise<void> {
    const { databases, logger, prepare } = this.parts;
    const { alias } = configuration;
    if (database !== null) await prepare(configuration, database);
    const former = databases.get(alias);
    databases.serve(configuration, database);
    logger.info({ alias }, former === undefined ? "Database added" : "Database changed");
    if (former) this.retire(former, keepsStorage);
  }

  private remove(alias: string): void {
    const { databases, logger } = this.parts;
    const former = databases.get(alias);
    databases.delete(alias);
    logger.info({ alias }, "Database removed");
    if (former) this.retire(former, false);
  }

  private retire(database: Database, keepsStorage: boolean): void {
    const { alias } = database;
    const retirement = this.endUseOf(database, keepsStorage)
      .catch((err: unknown) => this.parts.logger.error({ alias, err }, "Database not closed"))
      .finally(() => this.retiring.delete(retirement));
    this.retiring.add(retirement);
  }

  private async retired(): Promise<void> {
    await Promise.all(this.retiring);
  }

  /** Lets the requests in progress end, finishes the work of the server, and closes the storage unless it is kept. */
  private async endUseOf(database: Database, keepsStorage: boolean): Promise<void> {
    const { requests, finish, drainTimeout, logger } = this.parts;
    const { alias } = database;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), drainTimeout);
    });
    const ended = await Promise.race([requests.withdraw(database).then(() => true), late, this.stopping]);
    clearTimeout(timer);
    if (!ended && !keepsStorage && !this.isStopping)
      logger.warn({ alias }, "Drain timed out; requests in progress lose their database");
    await finish(database);
    if (!keepsStorage) await this.close(database);
  }

  private async close({ alias, storage }: Database): Promise<void> {
    try {
      await this.parts.engines.release(storage);
    } catch (err) {
      this.parts.logger.warn({ alias, err }, "Database not closed");
    }
  }
}

/** Whether an open storage serves another configuration. An embedded engine keeps its time limit while it runs. */
function isSamePlace(next: StorageConfiguration | null, former: StorageConfiguration | null | undefined): boolean {
  if (next?.engine !== "embedded" || former?.engine !== "embedded") return isDeepStrictEqual(next, former);
  return next.dataDir === former.dataDir && next.schema === former.schema;
}
