import { administrationOf, type Database, collectFiles } from "@sallyport/core";
import type { Logger } from "pino";
import { DatabaseTimers } from "./database-timers.ts";
import type { ServedDatabases } from "../databases/served-databases.ts";

/** Milliseconds between collections. Bytes stay for a day anyway, and each collection lists all files. */
const interval = 3_600_000;

interface PreparableStores {
  of(alias: string): { readonly prepare: () => Promise<void> };
}

/** Prepares the file stores of the databases, and removes bytes that belong to no file. */
export class FileKeeper {
  private readonly timers: DatabaseTimers;
  /** Monotonic milliseconds of the last collection of databases that rest. */
  private readonly collected = new WeakMap<Database, number>();

  constructor(
    databases: ServedDatabases,
    private readonly stores: PreparableStores,
    private readonly logger: Logger,
    private readonly collectUnused = collectFiles,
  ) {
    // The first round is spread, so that servers started together do not collect together.
    const pause = (isFirst: boolean) => (isFirst ? interval * Math.random() : interval);
    this.timers = new DatabaseTimers(databases, pause, (database) => this.collect(database));
  }

  /** A store that is not available prevents no start: its database answers 709 to requests with files. */
  async prepare({ alias }: Pick<Database, "alias">): Promise<void> {
    try {
      await this.stores.of(alias).prepare();
    } catch (err) {
      this.logger.warn({ alias, err }, "File store unavailable");
    }
  }

  /** Collects unless it has done so within the interval. */
  async collectLater(database: Database): Promise<void> {
    const now = performance.now();
    if (now - (this.collected.get(database) ?? Number.NEGATIVE_INFINITY) < interval) return;
    this.collected.set(database, now);
    await this.collect(database);
  }

  start(): void {
    this.timers.start();
  }

  stop(): void {
    this.timers.stop();
  }

  /** Failures are logged, and the next collection tries again. */
  async collect(database: Database): Promise<void> {
    const { alias } = database;
    try {
      const { removed: files, unknown } = await this.collectUnused(administrationOf(database));
      if (files > 0) this.logger.info({ alias, files }, "Unreferenced files deleted");
      if (unknown > 0) this.logger.warn({ alias, files: unknown }, "The store has files of another database");
    } catch (err) {
      if (!this.timers.isOver(database)) this.logger.warn({ alias, err }, "File cleanup failed");
    }
  }
}
