import type { Database } from "@sallyport/core";
import { type DatabaseConfiguration, isOnServer } from "../configuration/index.ts";

/** A server with more databases on database servers lets those rest that no request uses. */
const awakeAtMost = 32;

/** Milliseconds from the last request of a database to its rest. */
const restAfter = 600_000;

/**
 * The databases that rest. The first one of each database server never does: it shows whether the server is in order. Nor
 * does one that this process alone can use, or has to migrate.
 */
export class RestingDatabases {
  /** Aliases; `null` before they are asked for, after a change. */
  private candidates: ReadonlySet<string> | null = null;
  private readonly used = new WeakMap<Database, number>();
  private readonly waking = new WeakMap<Database, Promise<void>>();

  /** @param isActive whether requests of a database are in progress */
  constructor(
    private readonly configurations: ReadonlyMap<string, DatabaseConfiguration>,
    private readonly isActive: (database: Database) => boolean,
  ) {}

  /** The configurations have changed. */
  changed(): void {
    this.candidates = null;
  }

  has(database: Database): boolean {
    if (!this.mayRest.has(database.alias)) return false;
    const idle = performance.now() - (this.used.get(database) ?? Number.NEGATIVE_INFINITY);
    return idle >= restAfter && !this.isActive(database);
  }

  use(database: Database, wake: () => Promise<void>): Promise<void> | undefined {
    if (!this.mayRest.has(database.alias)) return undefined;
    const rested = this.has(database);
    this.used.set(database, performance.now());
    if (rested)
      this.waking.set(
        database,
        wake().finally(() => this.waking.delete(database)),
      );
    return this.waking.get(database);
  }

  get arePossible(): boolean {
    return this.mayRest.size > 0;
  }

  private get mayRest(): ReadonlySet<string> {
    this.candidates ??= candidatesAmong([...this.configurations.values()]);
    return this.candidates;
  }
}

function candidatesAmong(configurations: readonly DatabaseConfiguration[]): ReadonlySet<string> {
  const servers = new Set<string>();
  const aliases = new Set<string>();
  let count = 0;
  for (const { alias, storage, migrateOnStart } of configurations) {
    if (migrateOnStart || !isOnServer(storage)) continue;
    count += 1;
    if (servers.has(storage.url)) aliases.add(alias);
    servers.add(storage.url);
  }
  return count > awakeAtMost ? aliases : new Set();
}
