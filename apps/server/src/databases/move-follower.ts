import { type KeyWrapping, openJson } from "@sallyport/core";
import type { MoveNotice } from "@sallyport/storage-knex";
import type { Logger } from "pino";
import { type DatabaseConfiguration, isOnServer, type ServerStorage } from "../configuration/index.ts";
import type { DatabaseChanges } from "./database-changes.ts";
import type { ServedDatabases } from "./served-databases.ts";

interface FollowerParts {
  readonly databases: Pick<ServedDatabases, "configurations">;
  readonly changes: Pick<DatabaseChanges, "replace">;
  /** `null` without a master key. */
  readonly wrapping: KeyWrapping | null;
  readonly logger: Logger;
}

/** Follows databases that were moved to another server. */
export class MoveFollower {
  /** Connection strings by former place. */
  private readonly moved = new Map<string, string>();
  private readonly following = new Set<string>();
  private readonly unreadable = new Set<string>();

  constructor(private readonly parts: FollowerParts) {}

  /** Serves a database from where a notice says it is. `former`: where the notice was found. Never rejects. */
  async follow(alias: string, former: ServerStorage, { place, sealedUrl }: MoveNotice): Promise<void> {
    const { databases, changes, wrapping, logger } = this.parts;
    if (this.following.has(alias) || !isAt(databases.configurations.get(alias), former)) return;
    const opened = wrapping && openJson(wrapping, sealedUrl, "former place");
    if (!opened) {
      if (!this.unreadable.has(sealedUrl))
        logger.error(
          { alias, place },
          "Database was moved. Set MASTER_KEY to that of the move, or storage.url to the new place",
        );
      this.unreadable.add(sealedUrl);
      return;
    }
    this.following.add(alias);
    try {
      const { url } = opened as { readonly url: string };
      this.moved.set(keyOf(former), url);
      // It can have been a former place of an earlier move.
      this.moved.delete(keyOf({ url, schema: former.schema }));
      logger.warn({ alias, place }, "Database was moved. Set storage.url to the new place");
      await changes.replace(alias, (present) => this.current(present));
    } catch (err) {
      logger.error({ alias, place, err }, "Moved database not followed");
    } finally {
      this.following.delete(alias);
    }
  }

  /** The configuration of a database with the place where it is now. */
  current(configuration: DatabaseConfiguration): DatabaseConfiguration {
    const { storage } = configuration;
    const url = isOnServer(storage) ? this.moved.get(keyOf(storage)) : undefined;
    return url === undefined || !isOnServer(storage) ? configuration : atPlace(configuration, storage, url);
  }
}

/** Whether a database is at a place. A reload can have changed its other settings since a storage was opened there. */
function isAt(configuration: DatabaseConfiguration | undefined, place: ServerStorage): boolean {
  const storage = configuration?.storage ?? null;
  return isOnServer(storage) && keyOf(storage) === keyOf(place);
}

function keyOf({ url, schema }: Pick<ServerStorage, "url" | "schema">): string {
  return JSON.stringify([url, schema]);
}

/** The database at another place, where it has no known replicas. */
export function atPlace(database: DatabaseConfiguration, storage: ServerStorage, url: string): DatabaseConfiguration {
  return { ...database, storage: { ...storage, url, readUrls: [] } };
}
