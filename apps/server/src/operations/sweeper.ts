import { type Database, type Repositories, ServiceError, tallyTime } from "@sallyport/core";
import type { DatabaseDirectory } from "@sallyport/http";
import type { Logger } from "pino";

const batch = 1_000;

/** How long a key pair is kept after its last use, in milliseconds: who reads keys less often than that is broken. */
const keyAge = 86_400_000;

/** One thing that a sweep does; answers how much of at most `limit` there was to do. */
interface Chore {
  readonly name: string;
  readonly run: (r: Repositories, limit: number) => Promise<number>;
}

/** Removes what is over, per database and in its own rhythm. */
export class Sweeper {
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

  /** Does every chore until nothing is left; failures are logged, and the next round tries again. */
  async sweep(database: Database): Promise<void> {
    const { alias, storage } = database;
    for (const { name, run } of this.choresOf(database)) {
      try {
        let done = batch;
        while (done === batch && !this.stopped) done = await run(storage.repositories, batch);
      } catch (err) {
        if (this.stopped) return;
        this.logger.warn({ alias, err, chore: name }, "a sweep was not finished");
        // A database that cannot be used fails every chore alike.
        if (err instanceof ServiceError && err.code !== 799) return;
      }
    }
  }

  private choresOf({ alias, policy: { audit } }: Database): readonly Chore[] {
    const chores: Chore[] = [
      { name: "expired sessions", run: (r, limit) => r.sessions.sweep(limit) },
      { name: "forgotten failures", run: (r, limit) => r.throttle.sweep(limit) },
      { name: "audit tallies", run: (r, limit) => r.audit.settle(tallyTime, limit) },
      { name: "keys that are over", run: (r, limit) => r.keys.sweep(keyAge, limit) },
    ];
    if (audit.retention === 0) return chores;
    const forget = async (r: Repositories, limit: number): Promise<number> => {
      const events = await r.audit.sweep(audit.retention, limit);
      if (events > 0) this.logger.info({ alias, events }, "audit events beyond their retention were removed");
      return events;
    };
    return [...chores, { name: "old audit events", run: forget }];
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
