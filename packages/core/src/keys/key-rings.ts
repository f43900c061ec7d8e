import type { Database } from "../databases/database.ts";
import { ServiceError } from "../errors/service-error.ts";
import type { KeyWrapping } from "./key-wrapping.ts";
import type { ServerKeyKind, ServerKeyPair } from "./server-key.ts";
import type { NewServerKey, ServerKeys } from "./server-keys.ts";
import type { StoredKey, WrappedKeyPair } from "./stored-key.ts";

/** For how long a key is still accepted after another took its place, in milliseconds. */
export const keyOverlap = 24 * 3_600_000;

/** What private keys are wrapped for. */
const purpose = "server key";

export interface KeyRingParts {
  /** `null` without a master key: then nothing that needs a key of the server can be used. */
  readonly wrapping: KeyWrapping | null;
  readonly serverKeys: ServerKeys;
  /** Pairs that the operator supplies instead of having them made. */
  readonly supplied: ReadonlyMap<ServerKeyKind, ServerKeyPair>;
  readonly rsaBits: 2048 | 3072 | 4096;
}

/**
 * The key pairs of the databases, unwrapped. Which of them are current and accepted is asked of the database every
 * time, so that a rotation by another process holds at once; the pairs themselves are kept. A database without a key
 * is given one when it is first asked for.
 */
export class KeyRings {
  private readonly pairs = new Map<string, ServerKeyPair>();
  private readonly beginnings = new WeakMap<Database, Map<ServerKeyKind, Promise<void>>>();

  constructor(private readonly parts: KeyRingParts) {}

  /** Whether there is a master key, without which no key can be used. */
  get usable(): boolean {
    return this.parts.wrapping !== null;
  }

  /** The key to use. 705 without a master key, or when another master key wrapped it. */
  async current(kind: ServerKeyKind, database: Database): Promise<ServerKeyPair> {
    await this.begin(kind, database);
    const stored = await database.storage.repositories.keys.current(kind);
    if (stored === null) throw new ServiceError(705, { detail: "There is no key." });
    return this.unwrapped(stored);
  }

  /** The keys to accept, the current one first. */
  async accepted(kind: ServerKeyKind, database: Database): Promise<ServerKeyPair[]> {
    await this.begin(kind, database);
    const stored = await database.storage.repositories.keys.accepted(kind);
    return stored.map((key) => this.unwrapped(key));
  }

  /**
   * Puts a new pair in the place of the current one, which stays accepted for a day; its id, or `null` if somebody
   * else did the same meanwhile.
   */
  async rotate(kind: ServerKeyKind, database: Database): Promise<string | null> {
    const { keyId } = await this.current(kind, database);
    const next = this.wrapped(await this.parts.serverKeys.generate(this.wanted(kind)));
    const outcome = await database.storage.repositories.keys.rotate(keyId, next, keyOverlap);
    return outcome === "ok" ? next.keyId : null;
  }

  private begin(kind: ServerKeyKind, database: Database): Promise<void> {
    // Before a key is made that could not be kept.
    this.wrapping();
    let begun = this.beginnings.get(database);
    if (begun === undefined) this.beginnings.set(database, (begun = new Map()));
    let beginning = begun.get(kind);
    if (beginning === undefined) {
      beginning = this.provide(kind, database).catch((error: unknown) => {
        // The next one tries again.
        begun.delete(kind);
        throw error;
      });
      begun.set(kind, beginning);
    }
    return beginning;
  }

  /** Makes the first key, or puts the supplied one in its place unless the database had that one before. */
  private async provide(kind: ServerKeyKind, database: Database): Promise<void> {
    const { keys } = database.storage.repositories;
    const supplied = this.parts.supplied.get(kind);
    const known = await keys.accepted(kind);
    if (known.length === 0) {
      await keys.addFirst(this.wrapped(supplied ?? (await this.parts.serverKeys.generate(this.wanted(kind)))));
      return;
    }
    const [current] = known;
    if (supplied === undefined || current === undefined || known.some(({ keyId }) => keyId === supplied.keyId)) return;
    await keys.rotate(current.keyId, this.wrapped(supplied), keyOverlap);
  }

  private wanted(kind: ServerKeyKind): NewServerKey {
    return kind === "rsa" ? { kind, bits: this.parts.rsaBits } : { kind };
  }

  private wrapped({ privateKey, ...publicPart }: ServerKeyPair): WrappedKeyPair {
    return { ...publicPart, wrappedPrivateKey: this.wrapping().wrap(privateKey, purpose) };
  }

  private unwrapped({ kind, keyId, wrappedPrivateKey }: StoredKey): ServerKeyPair {
    const kept = this.pairs.get(keyId);
    if (kept !== undefined) return kept;
    const privateKey = this.wrapping().unwrap(wrappedPrivateKey, purpose);
    const pair = privateKey && this.parts.serverKeys.restore(kind, privateKey);
    if (pair === undefined) throw new ServiceError(705, { detail: "The keys of the database were wrapped under another master key." });
    this.pairs.set(keyId, pair);
    return pair;
  }

  private wrapping(): KeyWrapping {
    const { wrapping } = this.parts;
    if (wrapping === null) throw new ServiceError(705, { detail: "There is no master key." });
    return wrapping;
  }
}
