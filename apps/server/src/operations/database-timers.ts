import type { Database } from "@sallyport/core";
import type { DatabaseDirectory } from "@sallyport/http";

/** Repeats work for each database: a round begins `pause` milliseconds after the previous one has ended. */
export class DatabaseTimers {
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private stopped = false;

  /** @param work handles its failures */
  constructor(
    private readonly databases: DatabaseDirectory,
    private readonly pause: () => number,
    private readonly work: (database: Database) => Promise<void>,
  ) {}

  start(): void {
    for (const database of this.databases.values()) if (database !== null) this.schedule(database);
  }

  /** Whether `stop` was called. Work in progress ends early. */
  get isStopped(): boolean {
    return this.stopped;
  }

  stop(): void {
    this.stopped = true;
    for (const timer of this.timers.values()) clearTimeout(timer);
  }

  private schedule(database: Database): void {
    const timer = setTimeout(() => {
      void this.work(database).then(() => {
        if (!this.stopped) this.schedule(database);
      });
    }, this.pause());
    this.timers.set(database.alias, timer.unref());
  }
}
