import type { KeyRings, PublicJwk } from "@sallyport/core";
import type { DatabaseDirectory, DatabaseEntry } from "./server/http-settings.ts";

/** The keys that the tokens of this server can be checked with, whatever database they are for. */
export interface KeySet {
  readonly keys: readonly PublicJwk[];
  /** Whether every database has said what its keys are. */
  readonly complete: boolean;
}

/** Port: where the set of keys comes from. Never fails, and is asked as often as strangers like. */
export interface PublishedKeys {
  read(): Promise<KeySet>;
}

/** Milliseconds for which a set is good. */
const defaultAge = 5_000;
/** Milliseconds after which a database that says nothing is left out. */
const defaultWaitTimeout = 2_000;

interface DatabaseKeysOptions {
  readonly databases: DatabaseDirectory;
  readonly keyRings: Pick<KeyRings, "published">;
  /** Milliseconds; 5 s unless given. */
  readonly age?: number;
  /** Milliseconds; 2 s unless given. */
  readonly waitTimeout?: number;
}

/**
 * Asks every database for its keys, at most once in some seconds whoever asks: who comes meanwhile shares the look-up. A
 * database that cannot be used is left out.
 */
export class DatabaseKeys implements PublishedKeys {
  private last: { readonly at: number; readonly set: Promise<KeySet> } | undefined;

  constructor(private readonly options: DatabaseKeysOptions) {}

  read(): Promise<KeySet> {
    const { age = defaultAge } = this.options;
    const now = performance.now();
    if (this.last === undefined || now - this.last.at >= age) this.last = { at: now, set: this.ask() };
    return this.last.set;
  }

  private async ask(): Promise<KeySet> {
    const { databases } = this.options;
    const all = await Promise.all(Array.from(databases.values(), (database) => this.keysOf(database)));
    // Databases can have the same key, if it was supplied.
    const byId = new Map(all.flatMap((keys) => keys ?? []).map((key) => [key.kid, key]));
    return { keys: [...byId.values()], complete: !all.includes(null) };
  }

  private async keysOf(database: DatabaseEntry): Promise<readonly PublicJwk[] | null> {
    if (database === null) return null;
    const { keyRings, waitTimeout = defaultWaitTimeout } = this.options;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), waitTimeout);
    });
    try {
      return await Promise.race([keyRings.published(database), late]);
    } catch {
      return null;
    } finally {
      clearTimeout(timer);
    }
  }
}
