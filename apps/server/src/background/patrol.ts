import type { Database } from "@sallyport/core";
import type { ServedDatabases } from "../databases/served-databases.ts";

/** Milliseconds between two visits, at least, and for a visit to each database. */
const shortestPause = 1_000;
const roundTime = 600_000;

/** Does the timed work of databases that rest. It visits one after the other, so that many cost no more than few. */
export class Patrol {
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  /** Those that the present round still has to visit. */
  private left: Database[] = [];
  private pause = roundTime;

  /** @param visit handles its failures */
  constructor(
    private readonly databases: ServedDatabases,
    private readonly visit: (database: Database) => Promise<void>,
  ) {}

  start(): void {
    this.schedule(shortestPause);
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  /** Visits the next database that rests, if there is one. */
  async next(): Promise<void> {
    if (this.left.length === 0) {
      this.left = [...this.databases.values()].filter((each) => each !== null && this.rests(each)) as Database[];
      this.pause = Math.max(shortestPause, roundTime / Math.max(1, this.left.length));
    }
    const database = this.left.pop();
    if (database !== undefined && this.rests(database)) await this.visit(database);
  }

  private rests(database: Database): boolean {
    return !this.databases.isWithdrawn(database) && this.databases.isResting(database);
  }

  private schedule(pause: number): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => void this.next().then(() => this.schedule(this.pause)), pause).unref();
  }
}
