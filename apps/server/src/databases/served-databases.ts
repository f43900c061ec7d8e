import type { Database } from "@sallyport/core";
import type { DatabaseEntry } from "@sallyport/http";
import type { DatabaseConfiguration } from "../configuration/index.ts";

/** The served databases by alias. They change while the server runs; look them up for each piece of work. */
export class ServedDatabases extends Map<string, DatabaseEntry> {
  /** The present configuration of each alias. */
  readonly configurations = new Map<string, DatabaseConfiguration>();
  private readonly followers: ((database: Database) => void)[] = [];
  private readonly withdrawn = new WeakSet<Database>();

  constructor(entries: Iterable<readonly [string, DatabaseEntry]> = []) {
    // `Map` would call `set` before the fields exist.
    super();
    for (const [alias, database] of entries) this.set(alias, database);
  }

  /** Serves a database, instead of a former one with the same alias. */
  serve(configuration: DatabaseConfiguration, database: DatabaseEntry): void {
    this.configurations.set(configuration.alias, configuration);
    this.set(configuration.alias, database);
  }

  override set(alias: string, database: DatabaseEntry): this {
    this.withdraw(alias);
    super.set(alias, database);
    if (database !== null) for (const begin of this.followers) begin(database);
    return this;
  }

  override delete(alias: string): boolean {
    this.withdraw(alias);
    this.configurations.delete(alias);
    return super.delete(alias);
  }

  /** Calls `begin` for each database, now and when it is added or replaces another one. */
  follow(begin: (database: Database) => void): void {
    this.followers.push(begin);
    for (const database of this.values()) if (database !== null) begin(database);
  }

  /** Whether the database was removed or replaced. Work in progress on it ends. */
  isWithdrawn(database: Database): boolean {
    return this.withdrawn.has(database);
  }

  private withdraw(alias: string): void {
    const former = this.get(alias);
    if (former) this.withdrawn.add(former);
  }
}
