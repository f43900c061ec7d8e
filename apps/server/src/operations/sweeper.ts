import { type Database, KeyStore, mailJobs, type Repositories, ServiceError, tallyTime } from "@sallyport/core";
import type { DatabaseDirectory } from "@sallyport/http";
import type { Logger } from "pino";

const batch = 1_000;

const day = 86_400_000;

/** How long the private half of a key is kept after it was accepted last: whoever is at work with it has finished then. */
const keyAge = day;

/** How old the cipher blocks of a log-in are at least when they are forgotten, however short the time of their key was. */
const blockAge = 3 * day;

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
      { name: "locks of sessions that are over", run: (r, limit) => r.locks.sweep(limit) },
      { name: "forgotten failures", run: (r, limit) => r.throttle.sweep(limit) },
      { name: "records that are over", run: (r, limit) => this.sweepRecords(alias, r, limit) },
      { name: "audit tallies", run: (r, limit) => r.audit.settle(tallyTime, limit) },
      { name: "keys that are over", run: (r) => new KeyStore(r.records).sweep(keyAge) },
      { name: "cipher blocks of former keys", run: sweepBlocks },
    ];
    if (audit.retention === 0) return chores;
    const forget = async (r: Repositories, limit: number): Promise<number> => {
      const events = await r.audit.sweep(audit.retention, limit);
      if (events > 0) this.logger.info({ alias, events }, "audit events beyond their retention were removed");
      return events;
    };
    return [...chores, { name: "old audit events", run: forget }];
  }

  private async sweepRecords(alias: string, r: Repositories, limit: number): Promise<number> {
    const swept = await r.records.sweep(limit);
    const orders = swept.get(mailJobs);
    if (orders !== undefined) this.logger.error({ alias, orders }, "mail was given up that could not be sent in time");
    return [...swept.values()].reduce((sum, count) => sum + count, 0);
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

/**
 * Forgets what log-ins brought that were encrypted for keys which are swept away. Not before: a server that took a key for
 * accepted at its very end might still open a captured log-in with it, and must find its blocks.
 */
async function sweepBlocks(r: Repositories, limit: number): Promise<number> {
  const kept = await new KeyStore(r.records).kept("rsa");
  return r.channels.sweepBlocks(
    kept.map(({ keyId }) => keyId),
    blockAge,
    limit,
  );
}
