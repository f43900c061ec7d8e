import { type Database, type KeyRings, ServiceError } from "@sallyport/core";
import type { DatabaseDirectory } from "@sallyport/http";
import type { Logger } from "pino";
import { type DatabaseConfiguration, readModelFile, type StorageConfiguration } from "../../configuration/index.ts";
import { databaseDiagnostics } from "./database-diagnostics.ts";
import { directoryDiagnostics } from "./embedded.ts";

const defaultPause = 2_000;
const maxPause = 60_000;

interface PreparationParts {
  readonly databases: DatabaseDirectory;
  readonly configurations: readonly DatabaseConfiguration[];
  readonly logger: Logger;
  /** Called once per migrated database. `hasChanged`: whether migrations were applied. */
  readonly afterMigration: (database: Database, hasChanged: boolean) => Promise<void>;
  /** Detects keys that this server cannot unwrap. The log warns about them. */
  readonly keyRings?: Pick<KeyRings, "isSealedByOtherKey">;
  /** Whether this is the demo, which does not start if an embedded database cannot be prepared. */
  readonly demo?: boolean;
  /** Milliseconds before the second attempt, doubled for each further one; 2 s by default. */
  readonly firstPause?: number;
}

/** Preparation of one database. */
interface Task {
  readonly database: Database;
  readonly storage: StorageConfiguration | null;
  readonly migrate: boolean;
  readonly isRetry: boolean;
  /** Whether an attempt has applied migrations. */
  readonly hasChanged: boolean;
}

/**
 * Prepares the databases. An unavailable or unmigrated database blocks nothing: it answers 704 or 705. Its migration is
 * retried until it succeeds.
 */
export class DatabasePreparation {
  private readonly timers = new Set<NodeJS.Timeout>();
  private stopped = false;

  constructor(private readonly parts: PreparationParts) {}

  /** Tries each database once. Throws if an embedded database of the demo cannot be prepared. */
  async run(): Promise<void> {
    await Promise.all(
      this.parts.configurations.map(async ({ alias, migrateOnStart, storage }) => {
        const database = this.parts.databases.get(alias);
        if (database)
          await this.prepare(
            { database, storage, migrate: migrateOnStart, isRetry: false, hasChanged: false },
            this.parts.firstPause ?? defaultPause,
          );
      }),
    );
  }

  stop(): void {
    this.stopped = true;
    for (const timer of this.timers) clearTimeout(timer);
  }

  private async prepare(task: Task, pause: number): Promise<void> {
    const { database, migrate } = task;
    const { alias, storage } = database;
    let { hasChanged } = task;
    const { logger, afterMigration } = this.parts;
    try {
      if (!migrate) {
        await storage.health();
        await this.checkKeys(database);
        return;
      }
      const { applied } = await storage.migrate(await readModelFile());
      hasChanged ||= applied.length > 0;
      if (applied.length > 0) logger.info({ alias, applied }, "Database migrated");
      await this.checkKeys(database);
      await afterMigration(database, hasChanged);
    } catch (err) {
      if (this.stopped) return;
      if (this.parts.demo === true && task.storage?.engine === "embedded" && !task.isRetry)
        throw directoryDiagnostics(err, task.storage.dataDir);
      const reason = databaseDiagnostics(err, task.storage);
      logger.warn(
        {
          alias,
          ...(reason === null ? { err } : { code: err instanceof ServiceError ? err.code : undefined, reason }),
        },
        "Database unavailable",
      );
      if (migrate) this.retry({ ...task, isRetry: true, hasChanged }, pause);
    }
  }

  private async checkKeys(database: Database): Promise<void> {
    const { keyRings, logger } = this.parts;
    if (!(await keyRings?.isSealedByOtherKey(database))) return;
    logger.warn({ alias: database.alias }, "Database keys are encrypted with another master key");
  }

  private retry(task: Task, pause: number): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      void this.prepare(task, Math.min(2 * pause, maxPause));
    }, pause);
    this.timers.add(timer.unref());
  }
}
