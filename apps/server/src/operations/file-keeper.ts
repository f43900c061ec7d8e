import { administrationOf, type CollectFiles, type Database } from "@sallyport/core";
import type { DatabaseDirectory } from "@sallyport/http";
import type { Logger } from "pino";

/** Milliseconds between collections. Bytes stay for a day anyway, and each collection lists all files. */
const interval = 3_600_000;

/** The file store of each database, with its preparation. */
export type FileStores = ReadonlyMap<string, { readonly prepare: () => Promise<void> }>;

/** Prepares the file stores of the databases, and removes bytes that belong to no file. */
export class FileKeeper {
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private stopped = false;

  constructor(
    private readonly databases: DatabaseDirectory,
    private readonly stores: FileStores,
    private readonly collector: Pick<CollectFiles, "collectFiles">,
    private readonly logger: Logger,
  ) {}

  /** A store that is not available prevents no start: its database answers 709 to requests with files. */
  async prepare(): Promise<void> {
    await Promise.all(
      [...this.served()].map(async ({ alias }) => {
        try {
          await this.stores.get(alias)?.prepare();
        } catch (err) {
          this.logger.warn({ alias, err }, "File store unavailable");
        }
      }),
    );
  }

  start(): void {
    // Spread, so that servers started together do not collect together.
    for (const database of this.served()) this.schedule(database, interval * Math.random());
  }

  stop(): void {
    this.stopped = true;
    for (const timer of this.timers.values()) clearTimeout(timer);
  }

  /** Failures are logged, and the next collection tries again. */
  async collect(database: Database): Promise<void> {
    const { alias } = database;
    try {
      const { removed: files, unknown } = await this.collector.collectFiles(administrationOf(database));
      if (files > 0) this.logger.info({ alias, files }, "Unreferenced files deleted");
      if (unknown > 0) this.logger.warn({ alias, files: unknown }, "The store has files of another database");
    } catch (err) {
      if (!this.stopped) this.logger.warn({ alias, err }, "File cleanup failed");
    }
  }

  private schedule(database: Database, pause: number): void {
    const timer = setTimeout(() => {
      void this.collect(database).then(() => {
        if (!this.stopped) this.schedule(database, interval);
      });
    }, pause);
    this.timers.set(database.alias, timer.unref());
  }

  private *served(): Generator<Database, void, undefined> {
    for (const database of this.databases.values()) if (database !== null) yield database;
  }
}
