import type { Digest } from "@sallyport/storage";
import { type CountedTraffic, type Database, storeTraffic } from "@sallyport/core";
import type { TrafficRecorder } from "@sallyport/http";
import { DatabaseTimers } from "../background/database-timers.ts";
import type { ServedDatabases } from "../databases/served-databases.ts";

/** Milliseconds between two writes per database. */
const interval = 60_000;

/** Sessions whose traffic waits, per database. That of further ones is not counted while the database is unavailable. */
const maxWaiting = 100_000;

/** Attempts per write: another server can store the traffic of the same session at the same time. */
const attempts = 3;

/** Counts the bytes of sessions, and adds them to those of the other servers once a minute. */
export class TrafficWriter implements TrafficRecorder {
  private readonly timers: DatabaseTimers;
  private readonly waiting = new Map<Database, Map<Digest, CountedTraffic>>();

  constructor(databases: ServedDatabases) {
    this.timers = new DatabaseTimers(
      databases,
      () => interval,
      (database) => this.write(database),
    );
  }

  start(): void {
    this.timers.start();
  }

  transferred(database: Database, session: Digest, traffic: CountedTraffic): void {
    let waiting = this.waiting.get(database);
    if (waiting === undefined) this.waiting.set(database, (waiting = new Map()));
    const before = waiting.get(session);
    if (before === undefined) {
      if (waiting.size < maxWaiting) waiting.set(session, traffic);
      return;
    }
    const { received, sent, idleTimeout } = traffic;
    waiting.set(session, { received: before.received + received, sent: before.sent + sent, idleTimeout });
  }

  /** Never throws. After a failure, the next round writes the rest. */
  async write(database: Database): Promise<void> {
    const counted = this.waiting.get(database);
    if (counted === undefined) return;
    this.waiting.delete(database);
    try {
      for (let attempt = 0; attempt < attempts && counted.size > 0; attempt += 1)
        await storeTraffic(database.storage, counted);
    } catch {
      // An unavailable database is logged by its requests.
    }
    for (const [session, traffic] of counted) this.transferred(database, session, traffic);
  }

  /** Writes what is waiting for a database that is no longer served. */
  async finish(database: Database): Promise<void> {
    await this.write(database);
    this.waiting.delete(database);
  }

  /** Writes what is waiting. */
  async stop(): Promise<void> {
    this.timers.stop();
    await Promise.all(Array.from(this.waiting.keys(), (database) => this.write(database)));
  }
}
