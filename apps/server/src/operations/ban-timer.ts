import { applyTimedBans, type Database, ServiceError } from "@sallyport/core";
import type { DatabaseDirectory } from "@sallyport/http";
import type { Logger } from "pino";

/** Bans take effect within two seconds of their beginning. */
const interval = 1_000;

const batch = 50;

/** Begins and removes timed bans, per database. Several servers share the work. */
export class BanTimer {
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private stopped = false;

  constructor(
    private readonly databases: DatabaseDirectory,
    private readonly logger: Logger,
  ) {}

  start(): void {
    for (const database of this.databases.values()) if (database !== null) this.schedule(database);
  }

  stop(): void {
    this.stopped = true;
    for (const timer of this.timers.values()) clearTimeout(timer);
  }

  /** Applies everything that is due. Failures are logged and retried. */
  async apply(database: Database): Promise<void> {
    try {
      while (!this.stopped && (await applyTimedBans(database, batch)) === batch);
    } catch (err) {
      // An unavailable database is logged by its requests.
      if (this.stopped || (err instanceof ServiceError && err.code !== 799)) return;
      this.logger.warn({ alias: database.alias, err }, "Timed bans failed");
    }
  }

  private schedule(database: Database): void {
    const timer = setTimeout(() => {
      void this.apply(database).then(() => {
        if (!this.stopped) this.schedule(database);
      });
    }, interval);
    this.timers.set(database.alias, timer.unref());
  }
}
