import type { KeyRings, ServerKeyPair } from "../../keys/index.ts";
import type { Database } from "../../request/index.ts";

/** Cache lifetime of keys, in milliseconds. Bounds how long a key removed from the database is still accepted. */
const cachedFor = 60_000;

interface CachedKeys {
  readonly keys: ReadonlyMap<string, ServerKeyPair>;
  /** Validity of the cached keys by the process's clock, at most `cachedFor` long. */
  readonly from: number;
  readonly until: number;
}

/** Look-ups of one database: the running one, and one that all later callers share. */
interface LookUps {
  running: Promise<CachedKeys> | null;
  next: Promise<CachedKeys> | null;
}

/**
 * The keys that may sign the tokens of a database, cached for a minute and at most until one of them expires. An
 * unknown key id triggers a new look-up, because another process may have just created the key. At most one look-up
 * runs at a time.
 */
export class AcceptedTokenKeys {
  private readonly cached = new WeakMap<Database, CachedKeys>();
  private readonly lookUps = new WeakMap<Database, LookUps>();

  /** @param now the process's clock, in milliseconds. Used for durations only. */
  constructor(
    private readonly keyRings: KeyRings,
    private readonly now: () => number,
  ) {}

  /** Returns the accepted keys by id. The given key is missing only if it is not accepted. */
  async including(keyId: string, database: Database): Promise<ReadonlyMap<string, ServerKeyPair>> {
    const cached = this.cached.get(database);
    const now = this.now();
    // A clock that is set back must not extend the cache lifetime.
    if (cached !== undefined && cached.keys.has(keyId) && cached.from <= now && now < cached.until) return cached.keys;
    return (await this.lookUp(database)).keys;
  }

  private lookUp(database: Database): Promise<CachedKeys> {
    let lookUps = this.lookUps.get(database);
    if (lookUps === undefined) this.lookUps.set(database, (lookUps = { running: null, next: null }));
    const { running, next } = lookUps;
    if (next !== null) return next;
    if (running === null) return this.run(database, lookUps);
    // The running look-up may predate the key.
    const begin = (): Promise<CachedKeys> => {
      lookUps.next = null;
      return this.run(database, lookUps);
    };
    return (lookUps.next = running.then(begin, begin));
  }

  private run(database: Database, lookUps: LookUps): Promise<CachedKeys> {
    const running = this.load(database).finally(() => {
      if (lookUps.running === running) lookUps.running = null;
    });
    lookUps.running = running;
    return running;
  }

  private async load(database: Database): Promise<CachedKeys> {
    const from = this.now();
    const accepted = await this.keyRings.acceptedWithExpiry("jwt", database);
    const ranges = accepted.map(({ expiresIn }) => expiresIn ?? cachedFor);
    const cached: CachedKeys = {
      keys: new Map(accepted.map(({ pair }) => [pair.keyId, pair])),
      from,
      until: from + Math.min(cachedFor, ...ranges),
    };
    this.cached.set(database, cached);
    return cached;
  }
}
