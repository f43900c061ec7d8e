import type { Database } from "@sallyport/core";
import type { DatabaseEntry } from "@sallyport/http";
import type { DatabaseConfiguration } from "../configuration/index.ts";
import { RestingDatabases } from "./resting-databases.ts";

/** The served databases by alias. They change while the server runs; look them up for each piece of work. */
export class ServedDatabases extends Map<string, DatabaseEntry> {
  /** The present configuration of each alias. */
  readonly configurations = new Map<string, DatabaseConfiguration>();
  /** Tells whether requests of a database are in progress. */
  isActive: (database: Database) => boolean = () => false;
  private readonly followers: ((database: Database) => void)[] = [];
  private readonly wakers: ((database: Database) => Promise<void>)[] = [];
  private readonly withdrawn = new WeakSet<Database>();
  private readonly rests = new RestingDatabases(this.configurations, (database) => this.isActive(database));

  constructor(entries: Iterable<readonly [string, DatabaseEntry]> = []) {
    // `Map` would call `set` before the fields exist.
    super();
    for (const [alias, database] of entries) this.set(alias, database);
  }

  /** Serves a database, instead of a former one with the same alias. */
  serve(configuration: DatabaseConfiguration, database: DatabaseEntry): void {
    this.configurations.set(configuration.alias, configuration);
    this.rests.changed();
    this.set(configuration.alias, database);
  }

  override set(alias: string, database: DatabaseEntry): this {
    this.withdraw(alias);
    super.set(alias, database);
    if (database !== null && this.followers.length > 0 && !this.isResting(database))
      for (const begin of this.followers) begin(database);
    return this;
  }

  override delete(alias: string): boolean {
    this.withdraw(alias);
    this.configurations.delete(alias);
    this.rests.changed();
    return super.delete(alias);
  }

  /** Calls `begin` for each database that does not rest: now, when it is added, replaces another one or wakes up. */
  follow(begin: (database: Database) => void): void {
    this.followers.push(begin);
    for (const database of this.values()) if (database !== null && !this.isResting(database)) begin(database);
  }

  /** Calls `ready` before the first request of a database that rested. It handles its failures. */
  onWake(ready: (database: Database) => Promise<void>): void {
    this.wakers.push(ready);
  }

  /** Notes a request. Resolves when a database that rested is ready for it; `undefined` if it did not rest. */
  use(database: Database): Promise<void> | undefined {
    return this.rests.use(database, () => this.wake(database));
  }

  /** Whether any database can rest. */
  get canRest(): boolean {
    return this.rests.arePossible;
  }

  /** Whether no request has used the database for a while, on a server of many. Its timed work waits for the patrol. */
  isResting(database: Database): boolean {
    return this.rests.has(database);
  }

  /** Whether the database was removed or replaced. Work in progress on it ends. */
  isWithdrawn(database: Database): boolean {
    return this.withdrawn.has(database);
  }

  private async wake(database: Database): Promise<void> {
    await Promise.all(this.wakers.map((ready) => ready(database)));
    if (this.get(database.alias) === database) for (const begin of this.followers) begin(database);
  }

  private withdraw(alias: string): void {
    const former = this.get(alias);
    if (former) this.withdrawn.add(former);
  }
}
