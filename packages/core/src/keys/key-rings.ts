import { ServiceError } from "@sallyport/storage";
import type { Database } from "../request/index.ts";
import { KeySealing, type KeyWrapping } from "./key-sealing.ts";
import { KeyStore, type StoredKey } from "./key-store.ts";
import type { PublicJwk, ServerKeyKind, ServerKeyPair, ServerKeys } from "./server-keys.ts";

export interface AcceptedKey {
  readonly pair: ServerKeyPair;
  /** Remaining milliseconds by the storage's clock. `null` for the current key. */
  readonly expiresIn: number | null;
}

interface Ring {
  /** Resolves when the database has a key. */
  initialization: Promise<void> | null;
  /** Key pairs by id: those accepted at the last look-up, and current ones since. */
  pairs: Map<string, ServerKeyPair>;
}

/**
 * The decrypted key pairs of the databases. Each call reads the key states from the database, so a rotation by another
 * process applies at once. The first use creates a missing key. Only decrypted pairs are cached. No master key, or a
 * current key sealed under another one: 705.
 */
export class KeyRings {
  private readonly sealing: KeySealing;
  private readonly rings = new WeakMap<Database, Map<ServerKeyKind, Ring>>();

  constructor(private readonly supply: KeySupply) {
    this.sealing = new KeySealing(supply.wrapping, supply.serverKeys);
  }

  /** Whether there is a master key. No key can be used without one. */
  get usable(): boolean {
    return this.sealing.usable;
  }

  /** Whether another master key sealed a current key of the database. `false` without a master key. */
  async isSealedByOtherKey(database: Database): Promise<boolean> {
    if (!this.usable) return false;
    const kinds: readonly ServerKeyKind[] = ["rsa", "jwt"];
    const stored = await Promise.all(kinds.map((kind) => keysOf(database).current(kind)));
    return stored.some(
      (key, index) =>
        key !== null && this.open(key, this.ringOf(kinds[index] as ServerKeyKind, database)) === undefined,
    );
  }

  /** Returns the current key. Creates the first one if needed. */
  async current(kind: ServerKeyKind, database: Database): Promise<ServerKeyPair> {
    const ring = await this.initialize(kind, database);
    const stored = await keysOf(database).current(kind);
    const pair = this.currentOf(stored === null ? [] : [stored], ring);
    ring.pairs.set(pair.keyId, pair);
    return pair;
  }

  /** Returns the accepted keys, the current one first. */
  async accepted(kind: ServerKeyKind, database: Database): Promise<ServerKeyPair[]> {
    return (await this.load(kind, database)).map(({ pair }) => pair);
  }

  /** Returns the accepted keys with their remaining time. */
  async acceptedWithExpiry(kind: ServerKeyKind, database: Database): Promise<AcceptedKey[]> {
    // Reads the clock first, so that a slow look-up only shortens the remaining time.
    const now = await database.storage.now();
    const keys = await this.load(kind, database);
    return keys.map(({ pair, until }) => ({ pair, expiresIn: until === null ? null : until - now }));
  }

  /** Returns the public keys for verifying the tokens of the database. */
  async published(database: Database): Promise<PublicJwk[]> {
    return (await this.accepted("jwt", database)).map((pair) => this.supply.serverKeys.jwk(pair));
  }

  private async load(
    kind: ServerKeyKind,
    database: Database,
  ): Promise<{ pair: ServerKeyPair; until: number | null }[]> {
    const ring = await this.initialize(kind, database);
    const stored = await keysOf(database).accepted(kind);
    this.currentOf(stored, ring);
    // Skips earlier keys whose master key is lost.
    const keys = stored.flatMap((key) => {
      const pair = this.open(key, ring);
      return pair === undefined ? [] : [{ pair, until: key.acceptedUntil }];
    });
    ring.pairs = new Map(keys.map(({ pair }) => [pair.keyId, pair]));
    return keys;
  }

  private currentOf([first]: readonly StoredKey[], ring: Ring): ServerKeyPair {
    if (first === undefined) {
      // The database was replaced. The next request creates a key.
      ring.initialization = null;
      throw new ServiceError(705, { detail: "The key of the database is missing." });
    }
    const pair = this.open(first, ring);
    if (pair === undefined)
      throw new ServiceError(705, { detail: "The keys of the database were encrypted with another master key." });
    return pair;
  }

  private open(key: StoredKey, { pairs }: Ring): ServerKeyPair | undefined {
    return pairs.get(key.keyId) ?? this.sealing.open(key);
  }

  private async initialize(kind: ServerKeyKind, database: Database): Promise<Ring> {
    // Fails before it creates a key that cannot be stored.
    this.sealing.assertUsable();
    const ring = this.ringOf(kind, database);
    const initialization = (ring.initialization ??= this.createOrInstall(kind, database));
    try {
      await initialization;
    } catch (error) {
      if (ring.initialization === initialization) ring.initialization = null;
      throw error;
    }
    return ring;
  }

  private ringOf(kind: ServerKeyKind, database: Database): Ring {
    let rings = this.rings.get(database.whole);
    if (rings === undefined) this.rings.set(database.whole, (rings = new Map()));
    let ring = rings.get(kind);
    if (ring === undefined) rings.set(kind, (ring = { initialization: null, pairs: new Map() }));
    return ring;
  }

  /** Creates the first key, or installs the supplied one once. Servers with different keys do not alternate. */
  private async createOrInstall(kind: ServerKeyKind, database: Database): Promise<void> {
    const keys = keysOf(database);
    const supplied = this.supply.supplied.get(kind);
    const current = await keys.current(kind);
    if (current === null) {
      const first = this.sealing.seal(await nextPair(kind, this.supply));
      await keys.addFirst(first, await database.storage.now());
      return;
    }
    if (supplied === undefined || current.keyId === supplied.keyId) return;
    await keys.rotate(current.keyId, this.sealing.seal(supplied), keyOverlap(kind, database));
  }
}

/** The keys are read outside the transaction of a request, because all requests share them. */
function keysOf({ whole: { storage } }: Database): KeyStore {
  return new KeyStore(storage.repositories.records);
}

/** Source of new key pairs, and how they are sealed. */
export interface KeySupply {
  /** `null` without a master key: nothing that needs a server key can be used. */
  readonly wrapping: KeyWrapping | null;
  readonly serverKeys: ServerKeys;
  /** Operator-supplied key pairs, which replace generated ones. */
  readonly supplied: ReadonlyMap<ServerKeyKind, ServerKeyPair>;
  readonly rsaBits: 2048 | 3072 | 4096;
}

const day = 24 * 3_600_000;

/** Returns the key pair to install: the supplied one, or a new one. */
export async function nextPair(
  kind: ServerKeyKind,
  { supplied, serverKeys, rsaBits }: KeySupply,
): Promise<ServerKeyPair> {
  return supplied.get(kind) ?? serverKeys.generate(kind === "rsa" ? { kind, bits: rsaBits } : { kind });
}

/** Returns how long a replaced key stays accepted, in milliseconds: a day, or for tokens their maximum lifetime if it is longer. */
export function keyOverlap(kind: ServerKeyKind, { policy }: Database): number {
  return kind === "jwt" ? Math.max(day, policy.sessions.absoluteLifetime) : day;
}
