import type { KeyRings, PublicJwk } from "@sallyport/core";
import type { DatabaseDirectory, DatabaseEntry } from "./http-settings.ts";

export const keySetPath = "/.well-known/jwks.json";

export const keySetType = "application/jwk-set+json";

/** The public keys that verify the tokens of all databases. */
export interface KeySet {
  readonly keys: readonly PublicJwk[];
  /** Whether every database returned its keys. */
  readonly complete: boolean;
}

/** Port: source of the key set. Never rejects. Anonymous clients can call it at any rate. */
export interface PublishedKeys {
  read(): Promise<KeySet>;
}

/** Milliseconds that a key set is cached. */
const defaultAge = 5_000;
/** Milliseconds to wait for a database before leaving it out. */
const defaultWaitTimeout = 2_000;

interface DatabaseKeysOptions {
  readonly databases: DatabaseDirectory;
  readonly keyRings: Pick<KeyRings, "published">;
  /** Milliseconds; 5 s by default. */
  readonly age?: number;
  /** Milliseconds; 2 s by default. */
  readonly waitTimeout?: number;
}

/**
 * Reads the keys of all databases at most once per `age`. Concurrent callers share the look-up. An unavailable database
 * is left out.
 */
export class DatabaseKeys implements PublishedKeys {
  private last: { readonly at: number; readonly set: Promise<KeySet> } | undefined;

  constructor(private readonly options: DatabaseKeysOptions) {}

  read(): Promise<KeySet> {
    const { age = defaultAge } = this.options;
    const now = performance.now();
    if (this.last === undefined || now - this.last.at >= age) this.last = { at: now, set: this.load() };
    return this.last.set;
  }

  private async load(): Promise<KeySet> {
    const { databases } = this.options;
    const all = await Promise.all(Array.from(databases.values(), (database) => this.keysOf(database)));
    // Databases can share a supplied key.
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
