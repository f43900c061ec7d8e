import type { Database } from "@sallyport/core";
import type { DatabaseDirectory } from "@sallyport/http";
import type { Logger } from "pino";

const batch = 1_000;

/** Removes sessions whose time is over, per database and in its own rhythm. */
export class SessionSweeper {
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private stopped = false;

  constructor(
    private readonly databases: DatabaseDirectory,
    private readonly interval: number,
    private readonly logger: Logger,
  ) {}

  start(): void {
    for (const database of this.databases.values()) if (database !== null) this.schedule(database);
  }

  stop(): void {
    this.stopped = true;
    for (const timer of this.timers.values()) clearTimeout(timer);
  }

  /** Sweeps until nothing is left; failures are logged, and the next round tries again. */
  async sweep({ alias, storage }: Database): Promise<void> {
    try {
      let swept = batch;
      while (swept === batch && !this.stopped) swept = await storage.repositories.sessions.sweep(batch);
    } catch (err) {
      if (!this.stopped) this.logger.warn({ alias, err }, "expired sessions could not be removed");
    }
  }

  private schedule(database: Database): void {
    // Servers that were started together should not sweep together.
    const pause = this.interval * (0.8 + 0.4 * Math.random());
    const timer = setTimeout(() => {
      void this.sweep(database).then(() => {
        if (!this.stopped) this.schedule(database);
      });
    }, pause);
    this.timers.set(database.alias, timer.unref());
  }
}
