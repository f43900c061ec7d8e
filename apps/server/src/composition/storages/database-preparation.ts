import { ServiceError } from "@sallyport/storage";
import { type Database, type KeyRings, needsSetUp } from "@sallyport/core";
import type { Logger } from "pino";
import { type DatabaseConfiguration, readModelFile, type StorageConfiguration } from "../../configuration/index.ts";
import type { Diagnosis } from "../../doctor/diagnosis.ts";
import { databaseDiagnostics } from "./database-diagnostics.ts";
import { directoryDiagnostics } from "./embedded.ts";

const defaultPause = 2_000;
const maxPause = 60_000;

interface PreparationParts {
  readonly databases: { isWithdrawn(database: Database): boolean };
  readonly logger: Logger;
  /** Called once per migrated database. `hasChanged`: whether migrations were applied. */
  readonly afterMigration: (database: Database, hasChanged: boolean) => Promise<void>;
  /** Detects keys that this server cannot unwrap. The log warns about them. */
  readonly keyRings?: Pick<KeyRings, "isSealedByOtherKey">;
  /** Examines the settings of the connections to a database, which a pooler can drop. The log warns of what it finds. */
  readonly examineSettings?: (
    database: Pick<DatabaseConfiguration, "alias" | "storage">,
  ) => Promise<readonly Diagnosis[]>;
  /** Whether the log names the command for the first administrator of a database without users. */
  readonly offersSetUp?: boolean;
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
 * Prepares the databases. An unavailable or unmigrated database blocks nothing: it answers 704 or 705. Its migration or
 * check is retried until it succeeds.
 */
export class DatabasePreparation {
  private readonly timers = new Set<NodeJS.Timeout>();
  private stopped = false;

  constructor(private readonly parts: PreparationParts) {}

  /** Tries a database once. Throws if it is an embedded one of the demo and cannot be prepared. */
  prepare(
    { migrateOnStart: migrate, storage }: Pick<DatabaseConfiguration, "migrateOnStart" | "storage">,
    database: Database,
  ): Promise<void> {
    const task = { database, storage, migrate, isRetry: false, hasChanged: false };
    return this.attempt(task, this.parts.firstPause ?? defaultPause);
  }

  stop(): void {
    this.stopped = true;
    for (const timer of this.timers) clearTimeout(timer);
  }

  private async attempt(task: Task, pause: number): Promise<void> {
    const { database, migrate } = task;
    const { alias, storage } = database;
    let { hasChanged } = task;
    const { logger, afterMigration } = this.parts;
    try {
      if (!migrate) {
        await storage.health();
        await this.checkKeys(database);
        await this.checkSettings(task);
        await this.checkUsers(task);
        return;
      }
      const { applied } = await storage.migrate(await readModelFile());
      hasChanged ||= applied.length > 0;
      if (applied.length > 0) logger.info({ alias, applied }, "Database migrated");
      await this.checkKeys(database);
      await this.checkSettings(task);
      await afterMigration(database, hasChanged);
      await this.checkUsers(task);
    } catch (err) {
      if (this.isOver(database)) return;
      if (this.parts.demo === true && task.storage?.engine === "embedded" && !task.isRetry)
        throw directoryDiagnostics(err, task.storage.dataDir);
      const reason = databaseDiagnostics(err, task.storage);
      // A database that is only checked is served as soon as it is available.
      if (migrate || !task.isRetry)
        logger.warn(
          {
            alias,
            ...(reason === null ? { err } : { code: err instanceof ServiceError ? err.code : undefined, reason }),
          },
          "Database unavailable",
        );
      this.retry({ ...task, isRetry: true, hasChanged }, pause);
    }
  }

  private isOver(database: Database): boolean {
    return this.stopped || this.parts.databases.isWithdrawn(database);
  }

  private async checkKeys(database: Database): Promise<void> {
    const { keyRings, logger } = this.parts;
    if (!(await keyRings?.isSealedByOtherKey(database))) return;
    logger.warn({ alias: database.alias }, "Database keys are encrypted with another master key");
  }

  private async checkSettings({ database: { alias }, storage }: Task): Promise<void> {
    const { examineSettings, logger } = this.parts;
    for (const { level, finding, fix } of (await examineSettings?.({ alias, storage })) ?? [])
      if (level !== "ok") logger.warn({ alias, finding, fix }, "Connection settings are not in force");
  }

  /** Commands do not reach databases in memory. */
  private async checkUsers({ database: { alias, storage: opened }, storage }: Task): Promise<void> {
    if (this.parts.offersSetUp !== true || storage === null || storage.engine === "memory") return;
    if (!(await needsSetUp({ r: opened.repositories }))) return;
    const command = `sallyport-server console-link --set-up${alias === "" ? "" : ` --alias ${alias}`}`;
    this.parts.logger.info({ alias }, `Database has no users. For the first administrator, run "${command}".`);
  }

  private retry(task: Task, pause: number): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      if (this.isOver(task.database)) return;
      void this.attempt(task, Math.min(2 * pause, maxPause));
    }, pause);
    this.timers.add(timer.unref());
  }
}
