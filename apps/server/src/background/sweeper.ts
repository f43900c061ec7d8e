import { type Repositories, ServiceError, tallyTime } from "@sallyport/storage";
import {
  type Database,
  forgetResults,
  KeyStore,
  licenceMessages,
  mailJobs,
  removeExpiredConsoleKeys,
  requestResultAge,
  requestResultKind,
  changeResultKind,
} from "@sallyport/core";
import type { Logger } from "pino";
import { DatabaseTimers } from "./database-timers.ts";
import type { ServedDatabases } from "../databases/served-databases.ts";

const batch = 1_000;

const day = 86_400_000;

/**
 * Milliseconds between two sweeps of a database. Expired data has no effect before it is removed, so the interval only
 * bounds the size of one sweep.
 */
export const cleanupInterval = 60_000;

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
  private readonly timers: DatabaseTimers;

  constructor(
    databases: ServedDatabases,
    interval: number,
    private readonly logger: Logger,
  ) {
    // Jitter, so that servers started together do not sweep together.
    const pause = () => interval * (0.8 + 0.4 * Math.random());
    this.timers = new DatabaseTimers(databases, pause, (database) => this.sweep(database));
  }

  start(): void {
    this.timers.start();
  }

  stop(): void {
    this.timers.stop();
  }

  /** Runs every task to completion. Failures are logged and retried in the next round. */
  async sweep(database: Database): Promise<void> {
    const { alias, storage } = database;
    for (const { name, run } of this.tasksOf(database)) {
      try {
        let done = batch;
        while (done === batch && !this.timers.isOver(database)) done = await run(storage.repositories, batch);
      } catch (err) {
        if (this.timers.isOver(database)) return;
        this.logger.warn({ alias, err, task: name }, "Cleanup failed");
        // An unavailable database fails every task.
        if (err instanceof ServiceError && err.code !== 799) return;
      }
    }
  }

  private tasksOf({ alias, storage, policy: { audit, sync } }: Database): readonly CleanupTask[] {
    const tasks: CleanupTask[] = [
      { name: "expired sessions", run: (r, limit) => r.sessions.sweep(limit) },
      { name: "expired throttle counters", run: (r, limit) => r.throttle.sweep(limit) },
      { name: "expired records", run: (r, limit) => this.sweepRecords(alias, r, limit) },
      { name: "expired keys of consoles", run: (_r, limit) => removeExpiredConsoleKeys(storage, limit) },
      { name: "audit tallies", run: (r, limit) => r.audit.settle(tallyTime, limit) },
      { name: "expired keys", run: (r) => new KeyStore(r.records).sweep(keyAge) },
      { name: "cipher blocks of deleted keys", run: sweepBlocks },
      {
        name: "results of requests",
        run: ({ records }, limit) => forgetResults(records, requestResultKind, requestResultAge, limit),
      },
    ];
    const forget = (r: Repositories, limit: number) => r.deletion.sweep(sync.tombstones, limit);
    const forgetChangeResults = ({ records }: Repositories, limit: number) =>
      forgetResults(records, changeResultKind, sync.tombstones, limit);
    if (sync.tombstones > 0)
      tasks.push(
        { name: "old tombstones", run: forget },
        { name: "results of old operations", run: forgetChangeResults },
      );
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
}

/**
 * Removes the cipher blocks of log-ins whose keys are deleted. Not earlier: a server that still accepts a key could
 * open a captured log-in and must find its blocks.
 */
async function sweepBlocks(r: Repositories, limit: number): Promise<number> {
  const keys = await new KeyStore(r.records).withPrivateKey("rsa");
  return r.channels.sweepBlocks(
    keys.map(({ keyId }) => keyId),
    blockAge,
    limit,
  );
}
