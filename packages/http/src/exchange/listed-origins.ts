import { listingsOf, LruCache } from "@sallyport/storage";
import { type Database } from "@sallyport/core";

/** Number of origins of a database that are cached, listed and unlisted ones each: strangers displace no listed one. */
const capacity = 1_000;
/** Milliseconds for which an answer of the storage is used again. */
const freshness = 5_000;
/** Milliseconds for which a listed origin counts while the database fails or is overloaded: as long as a preflight. */
const outageFreshness = 600_000;
/** Maximum number of concurrent look-ups of a database. Any client can cause them. */
const maxLooks = 4;
/** Milliseconds that an answer waits for a look-up. */
const waitTimeout = 1_000;
/** Characters. No browser sends a longer origin. */
const maxLength = 512;

interface CachedOrigins {
  /** `performance.now()` of the last time that a key listed the origin. */
  readonly listed: LruCache<string, number>;
  /** `performance.now()` of the last time that no key listed the origin. */
  readonly unlisted: LruCache<string, number>;
  readonly looks: Map<string, Promise<boolean>>;
}

/** Whether an app key of a database lists an origin, for answers that are not given to an app key. */
export class ListedOrigins {
  private readonly cached = new WeakMap<Database, CachedOrigins>();

  /** Caches that an app key lists the origin. */
  note(database: Database, origin: string): void {
    this.of(database).listed.set(origin, performance.now());
  }

  /** Whether an app key listed the origin in the last minutes. Asks no storage. */
  isCached(database: Database, origin: string): boolean {
    return isWithin(this.of(database).listed.get(origin), outageFreshness);
  }

  /** Whether an enabled app key lists the origin. Throws the errors of the storage. */
  async ask(database: Database, origin: string): Promise<boolean> {
    const { listed, unlisted } = this.of(database);
    if (origin.length > maxLength) return false;
    const { appKeys } = database.storage.repositories;
    const found = await Promise.all(listingsOf(origin).map((listing) => appKeys.listsOrigin(listing)));
    const isListed = found.includes(true);
    const [current, former] = isListed ? [listed, unlisted] : [unlisted, listed];
    current.set(origin, performance.now());
    if (former.get(origin) !== undefined) former.set(origin, Number.NEGATIVE_INFINITY);
    return isListed;
  }

  /**
   * Like `ask`, within a budget: an answer of the last seconds is used again, and beyond the budget only what is cached
   * counts. Never rejects.
   */
  async look(database: Database, origin: string): Promise<boolean> {
    const { listed, unlisted, looks } = this.of(database);
    if (isWithin(listed.get(origin), freshness)) return true;
    if (isWithin(unlisted.get(origin), freshness)) return false;
    const cached = this.isCached(database, origin);
    let pending = looks.get(origin);
    if (pending === undefined) {
      if (looks.size >= maxLooks) return cached;
      pending = this.ask(database, origin)
        .catch(() => cached)
        .finally(() => looks.delete(origin));
      looks.set(origin, pending);
    }
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, waitTimeout, cached);
    });
    return Promise.race([pending, late]).finally(() => clearTimeout(timer));
  }

  private of(database: Database): CachedOrigins {
    let cached = this.cached.get(database);
    if (cached === undefined) {
      cached = { listed: new LruCache(capacity), unlisted: new LruCache(capacity), looks: new Map() };
      this.cached.set(database, cached);
    }
    return cached;
  }
}

function isWithin(at: number | undefined, age: number): boolean {
  return at !== undefined && performance.now() - at < age;
}
