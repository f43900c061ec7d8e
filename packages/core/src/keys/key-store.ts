import { type RecordKind, type RecordRepository, type StoredRecord, untilDone } from "@sallyport/storage";
import type { ServerKeyKind, ServerPublicKey } from "./server-keys.ts";

/** All keys that a database ever had, by kind. The current key is first, followed by its predecessors. */
export const keyRingKind: RecordKind<readonly StoredKey[]> = "keyRing";

/** Replaces a deleted private key. */
export const deletedMarker = "";

/**
 * The key pairs of one database. Each kind has at most one current key, even with concurrent writers, and never loses
 * it. Key ids are kept for ever, so that no key is reused.
 */
export class KeyStore {
  constructor(private readonly records: RecordRepository) {}

  /** Returns the current key, or `null` if there has never been one. */
  async current(kind: ServerKeyKind): Promise<StoredKey | null> {
    return (await this.read(kind))?.value[0] ?? null;
  }

  /** Returns the accepted keys: the current one, then unexpired earlier ones, latest first. */
  async accepted(kind: ServerKeyKind): Promise<StoredKey[]> {
    const ring = await this.read(kind);
    return ring === undefined ? [] : ring.value.filter((key) => isAccepted(key, nowOf(ring)));
  }

  /**
   * Adds the first key of its kind, unless there is a current one. Returns the current key either way, so that
   * processes that start concurrently get the same key.
   *
   * @param now milliseconds since 1970 by the storage's clock
   */
  async addFirst(key: WrappedKeyPair, now: number): Promise<StoredKey> {
    const first = storedKey(key, now);
    await this.records.put(keyRingKind, key.kind, [first], { ifVersion: "none" });
    return (await this.current(key.kind)) ?? first;
  }

  /** Returns all keys with a private key: the accepted ones first, as in `accepted`, then the expired ones. */
  async withPrivateKey(kind: ServerKeyKind): Promise<StoredKey[]> {
    const ring = await this.read(kind);
    if (ring === undefined) return [];
    const keys = ring.value.filter(({ wrappedPrivateKey }) => wrappedPrivateKey !== deletedMarker);
    const now = nowOf(ring);
    return [...keys.filter((key) => isAccepted(key, now)), ...keys.filter((key) => !isAccepted(key, now))];
  }

  /**
   * Makes the key current if the current key has the id `expectedKeyId`. The previous key stays accepted for `overlap`
   * milliseconds. Otherwise nothing changes: `stale` if another key or none is current, `known` if the kind has ever
   * had the new key.
   */
  async rotate(expectedKeyId: string, key: WrappedKeyPair, overlap: number): Promise<"ok" | "stale" | "known"> {
    return untilDone(async () => {
      const ring = await this.read(key.kind);
      const [current, ...before] = ring?.value ?? [];
      if (ring === undefined || current?.keyId !== expectedKeyId) return "stale";
      if (ring.value.some(({ keyId }) => keyId === key.keyId)) return "known";
      const now = nowOf(ring);
      const rotated = [storedKey(key, now), { ...current, acceptedUntil: now + overlap }, ...before];
      return (await this.write(ring, rotated)) ? "ok" : undefined;
    });
  }

  /** Deletes private keys, of any kind, that expired at least `age` milliseconds ago. Returns their number. */
  async sweep(age: number): Promise<number> {
    const rings = await this.records.list(keyRingKind, { after: null, limit: 10 });
    let forgotten = 0;
    for (const ring of rings) {
      const last = nowOf(ring) - age;
      const isOver = ({ acceptedUntil, wrappedPrivateKey }: StoredKey) =>
        acceptedUntil !== null && wrappedPrivateKey !== deletedMarker && acceptedUntil <= last;
      const over = ring.value.filter(isOver).length;
      const keys = ring.value.map((key) => (isOver(key) ? { ...key, wrappedPrivateKey: deletedMarker } : key));
      // After a concurrent rotation, the next sweep deletes them.
      if (over > 0 && (await this.write(ring, keys))) forgotten += over;
    }
    return forgotten;
  }

  private async read(kind: ServerKeyKind): Promise<StoredRecord<readonly StoredKey[]> | undefined> {
    return (await this.records.get(keyRingKind, [kind]))[0];
  }

  /** Returns `false` on a concurrent change. */
  private async write({ id, version }: StoredRecord<unknown>, keys: readonly StoredKey[]): Promise<boolean> {
    return (await this.records.put(keyRingKind, id, keys, { ifVersion: version })) === "stored";
  }
}

export interface WrappedKeyPair extends ServerPublicKey {
  /** Sealed under the master key. Storage never has the plain private key. */
  readonly wrappedPrivateKey: string;
}

/** A stored key pair. Times are milliseconds since 1970 by the storage's clock. */
export interface StoredKey extends WrappedKeyPair {
  readonly createdAt: number;
  /** The key is refused from this time on. `null` for the current key. */
  readonly acceptedUntil: number | null;
}

function storedKey({ kind, keyId, publicKey, wrappedPrivateKey }: WrappedKeyPair, now: number): StoredKey {
  return { kind, keyId, publicKey, wrappedPrivateKey, createdAt: now, acceptedUntil: null };
}

function isAccepted({ acceptedUntil }: StoredKey, now: number): boolean {
  return acceptedUntil === null || now < acceptedUntil;
}

/** Returns when a record was read, by the storage's clock. */
function nowOf({ createdAt, age }: StoredRecord<unknown>): number {
  return createdAt + age;
}
