import { ServiceError } from "@sallyport/storage";
import type { Database } from "@sallyport/core";
import type { ServedDatabases } from "../databases/served-databases.ts";

/**
 * Repeats work for each database that does not rest: a round begins `pause` milliseconds after the previous one has ended.
 */
export class DatabaseTimers {
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private stopped = false;

  /** @param work handles its failures */
  constructor(
    private readonly databases: ServedDatabases,
    private readonly pause: (isFirst: boolean) => number,
    private readonly work: (database: Database) => Promise<void>,
  ) {}

  start(): void {
    this.databases.follow(({ alias }) => {
      // The rounds of a replaced database go on with its successor.
      if (!this.timers.has(alias)) this.schedule(alias, true);
    });
  }

  /** Whether work on the database should end early: `stop` was called, or the database is no longer served. */
  isOver(database: Database): boolean {
    return this.stopped || this.databases.isWithdrawn(database);
  }

  stop(): void {
    this.stopped = true;
    for (const timer of this.timers.values()) clearTimeout(timer);
  }

  private schedule(alias: string, isFirst: boolean): void {
    if (this.stopped) return;
    const timer = setTimeout(() => {
      const database = this.databases.get(alias);
      if (database && !this.databases.isResting(database))
        void this.work(database).then(() => this.schedule(alias, false));
      else this.timers.delete(alias);
    }, this.pause(isFirst));
    this.timers.set(alias, timer.unref());
  }
}

/** Whether the failure of a task is a defect. Otherwise requests log it, such as that a database is not available. */
export function isDefect(error: unknown): boolean {
  return !(error instanceof ServiceError) || error.code === 799;
}

const temporaryCodes: ReadonlySet<number> = new Set([607, 704, 705, 706]);

/** Whether the failure of a task is temporary. Requests log it. */
export function isTemporary(error: unknown): boolean {
  return error instanceof ServiceError && temporaryCodes.has(error.code);
}
