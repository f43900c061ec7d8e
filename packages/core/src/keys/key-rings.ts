import { ServiceError } from "../errors/index.ts";
import type { Database } from "../request/index.ts";
import { KeySealing, type KeyWrapping } from "./key-sealing.ts";
import { KeyStore, type StoredKey } from "./key-store.ts";
import type { PublicJwk, ServerKeyKind, ServerKeyPair, ServerKeys } from "./server-keys.ts";

export interface AcceptedKey {
  readonly pair: ServerKeyPair;
  /** For how many more milliseconds, by the storage's clock; `null` while it is the current one. */
  readonly lastsFor: number | null;
}

interface Ring {
  /** Resolves when the database has a key. */
  beginning: Promise<void> | null;
  /** The keys that were accepted when that was last asked, and current ones since, by id. */
  pairs: Map<string, ServerKeyPair>;
}

/**
 * The key pairs of the databases, opened. Which of them are current and accepted is asked of the database every time, so
 * that a rotation by another process holds at once; the pairs themselves are remembered while they are accepted. A
 * database without a key is given one when it is first asked for. Without a master key, and with another than the one
 * that sealed the current key: 705.
 */
export class KeyRings {
  private readonly sealing: KeySealing;
  private readonly rings = new WeakMap<Database, Map<ServerKeyKind, Ring>>();

  constructor(private readonly supply: KeySupply) {
    this.sealing = new KeySealing(supply.wrapping, supply.serverKeys);
  }

  /** Whether there is a master key, without which no key can be used. */
  get usable(): boolean {
    return this.sealing.usable;
  }

  /** Whether a current key of the database was sealed under another master key than the one there is; `false` without one. */
  async sealedElsewhere(database: Database): Promise<boolean> {
    if (!this.usable) return false;
    const kinds: readonly ServerKeyKind[] = ["rsa", "jwt"];
    const stored = await Promise.all(kinds.map((kind) => keysOf(database).current(kind)));
    return stored.some(
      (key, index) =>
        key !== null && this.open(key, this.ringOf(kinds[index] as ServerKeyKind, database)) === undefined,
    );
  }

  /** The key to use. */
  async current(kind: ServerKeyKind, database: Database): Promise<ServerKeyPair> {
    const ring = await this.begin(kind, database);
    const stored = await keysOf(database).current(kind);
    const pair = this.currentOf(stored === null ? [] : [stored], ring);
    ring.pairs.set(pair.keyId, pair);
    return pair;
  }

  /** The keys to accept, the current one first. */
  async accepted(kind: ServerKeyKind, database: Database): Promise<ServerKeyPair[]> {
    return (await this.load(kind, database)).map(({ pair }) => pair);
  }

  /** The same with the time that is left to them. */
  async lasting(kind: ServerKeyKind, database: Database): Promise<AcceptedKey[]> {
    // The clock first: what passes until the keys are there shortens their time, and never prolongs it.
    const now = await database.storage.now();
    const keys = await this.load(kind, database);
    return keys.map(({ pair, until }) => ({ pair, lastsFor: until === null ? null : until - now }));
  }

  /** What anybody can check the tokens of a database with. */
  async published(database: Database): Promise<PublicJwk[]> {
    return (await this.accepted("jwt", database)).map((pair) => this.supply.serverKeys.jwk(pair));
  }

  private async load(
    kind: ServerKeyKind,
    database: Database,
  ): Promise<{ pair: ServerKeyPair; until: number | null }[]> {
    const ring = await this.begin(kind, database);
    const stored = await keysOf(database).accepted(kind);
    this.currentOf(stored, ring);
    // An earlier key whose master key is lost keeps nobody from using the others.
    const opened = stored.flatMap((key) => {
      const pair = this.open(key, ring);
      return pair === undefined ? [] : [{ pair, until: key.acceptedUntil }];
    });
    ring.pairs = new Map(opened.map(({ pair }) => [pair.keyId, pair]));
    return opened;
  }

  private currentOf([first]: readonly StoredKey[], ring: Ring): ServerKeyPair {
    if (first === undefined) {
      // Somebody put another database into the place of this one; the next request begins anew.
      ring.beginning = null;
      throw new ServiceError(705, { detail: "The key of the database is gone." });
    }
    const pair = this.open(first, ring);
    if (pair === undefined)
      throw new ServiceError(705, { detail: "The keys of the database were sealed under another master key." });
    return pair;
  }

  private open(key: StoredKey, { pairs }: Ring): ServerKeyPair | undefined {
    return pairs.get(key.keyId) ?? this.sealing.open(key);
  }

  private async begin(kind: ServerKeyKind, database: Database): Promise<Ring> {
    // Before a key is made that could not be kept.
    this.sealing.assertUsable();
    const ring = this.ringOf(kind, database);
    const beginning = (ring.beginning ??= this.provide(kind, database));
    try {
      await beginning;
    } catch (error) {
      // The next one tries again.
      if (ring.beginning === beginning) ring.beginning = null;
      throw error;
    }
    return ring;
  }

  private ringOf(kind: ServerKeyKind, database: Database): Ring {
    let rings = this.rings.get(database);
    if (rings === undefined) this.rings.set(database, (rings = new Map()));
    let ring = rings.get(kind);
    if (ring === undefined) rings.set(kind, (ring = { beginning: null, pairs: new Map() }));
    return ring;
  }

  /** Makes the first key, or puts in the supplied one. Each is taken once, so that servers do not take turns. */
  private async provide(kind: ServerKeyKind, database: Database): Promise<void> {
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

function keysOf({ storage }: Database): KeyStore {
  return new KeyStore(storage.repositories.records);
}

/** Where new key pairs come from, and what they are sealed with. */
export interface KeySupply {
  /** `null` without a master key: then nothing that needs a key of the server can be used. */
  readonly wrapping: KeyWrapping | null;
  readonly serverKeys: ServerKeys;
  /** Pairs that the operator supplies instead of having them made. */
  readonly supplied: ReadonlyMap<ServerKeyKind, ServerKeyPair>;
  readonly rsaBits: 2048 | 3072 | 4096;
}

const day = 24 * 3_600_000;

/** The pair to put into a database: the supplied one, or a new one. */
export async function nextPair(
  kind: ServerKeyKind,
  { supplied, serverKeys, rsaBits }: KeySupply,
): Promise<ServerKeyPair> {
  return supplied.get(kind) ?? serverKeys.generate(kind === "rsa" ? { kind, bits: rsaBits } : { kind });
}

/** Milliseconds for which a replaced key is accepted: a day, or as long as a token that it has signed can be good. */
export function keyOverlap(kind: ServerKeyKind, { policy }: Database): number {
  return kind === "jwt" ? Math.max(day, policy.sessions.absoluteLifetime) : day;
}
