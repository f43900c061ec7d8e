import { applyTimedBans, type Database } from "@sallyport/core";
import type { Logger } from "pino";
import { DatabaseTimers, isDefect } from "./database-timers.ts";
import type { ServedDatabases } from "../databases/served-databases.ts";

/** Bans take effect within two seconds of their beginning. */
const interval = 1_000;

const batch = 50;

/** Begins and removes timed bans, per database. Several servers share the work. */
export class BanTimer {
  private readonly timers: DatabaseTimers;

  constructor(
    databases: ServedDatabases,
    private readonly logger: Logger,
  ) {
    this.timers = new DatabaseTimers(
      databases,
      () => interval,
      (database) => this.apply(database),
    );
  }

  start(): void {
    this.timers.start();
  }

  stop(): void {
    this.timers.stop();
  }

  /** Applies everything that is due. Failures are logged and retried. */
  async apply(database: Database): Promise<void> {
    try {
      while (!this.timers.isOver(database) && (await applyTimedBans(database, batch)) === batch);
    } catch (err) {
      if (!isDefect(err) || this.timers.isOver(database)) return;
      this.logger.warn({ alias: database.alias, err }, "Timed bans failed");
    }
  }
}
