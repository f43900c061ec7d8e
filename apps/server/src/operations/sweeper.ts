import {
  type Database,
  KeyStore,
  licenceMessages,
  mailJobs,
  type Repositories,
  ServiceError,
  tallyTime,
} from "@sallyport/core";
import type { DatabaseDirectory } from "@sallyport/http";
import type { Logger } from "pino";

const batch = 1_000;

const day = 86_400_000;

/** Retention of a private key after its last acceptance, so that requests in progress can finish. */
const keyAge = day;

/** Minimum retention of the cipher blocks of a log-in. */
const blockAge = 3 * day;

/** One task of a sweep. Returns how many of at most `limit` items it processed. */
interface CleanupTask {
  readonly name: string;
  readonly run: (r: Repositories, limit: number) => Promise<number>;
}

/** Removes expired data, per database and on its own schedule. */
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

  /** Runs every task to completion. Failures are logged and retried in the next round. */
  async sweep(database: Database): Promise<void> {
    const { alias, storage } = database;
    for (const { name, run } of this.tasksOf(database)) {
      try {
        let done = batch;
        while (done === batch && !this.stopped) done = await run(storage.repositories, batch);
      } catch (err) {
        if (this.stopped) return;
        this.logger.warn({ alias, err, task: name }, "Cleanup failed");
        // An unavailable database fails every task.
        if (err instanceof ServiceError && err.code !== 799) return;
      }
    }
  }

  private tasksOf({ alias, policy: { audit } }: Database): readonly CleanupTask[] {
    const tasks: CleanupTask[] = [
      { name: "expired sessions", run: (r, limit) => r.sessions.sweep(limit) },
      { name: "locks of ended sessions", run: (r, limit) => r.locks.sweep(limit) },
      { name: "expired throttle counters", run: (r, limit) => r.throttle.sweep(limit) },
      { name: "expired records", run: (r, limit) => this.sweepRecords(alias, r, limit) },
      { name: "audit tallies", run: (r, limit) => r.audit.settle(tallyTime, limit) },
      { name: "expired keys", run: (r) => new KeyStore(r.records).sweep(keyAge) },
      { name: "cipher blocks of deleted keys", run: sweepBlocks },
    ];
    if (audit.retention === 0) return tasks;
    const removeEvents = async (r: Repositories, limit: number): Promise<number> => {
      const events = await r.audit.sweep(audit.retention, limit);
      if (events > 0) this.logger.info({ alias, events }, "Audit events deleted");
      return events;
    };
    return [...tasks, { name: "expired audit events", run: removeEvents }];
  }

  private async sweepRecords(alias: string, r: Repositories, limit: number): Promise<number> {
    const deleted = await r.records.sweep(limit);
    const expiredJobs = deleted.get(mailJobs);
    if (expiredJobs !== undefined) this.logger.error({ alias, jobs: expiredJobs }, "Mail expired");
    const expiredMessages = deleted.get(licenceMessages);
    if (expiredMessages !== undefined)
      this.logger.error({ alias, messages: expiredMessages }, "Licence messages expired");
    return [...deleted.values()].reduce((sum, count) => sum + count, 0);
  }

  private schedule(database: Database): void {
    // Jitter, so that servers started together do not sweep together.
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
 * Removes the cipher blocks of log-ins whose keys are deleted. Not earlier: a server that still accepts a key could
 * open a captured log-in and must find its blocks.
 */
async function sweepBlocks(r: Repositories, limit: number): Promise<number> {
  const kept = await new KeyStore(r.records).kept("rsa");
  return r.channels.sweepBlocks(
    kept.map(({ keyId }) => keyId),
    blockAge,
    limit,
  );
}
