import type { RecordKind, RecordRepository, StoredRecord } from "../storage/index.ts";
import type { ServerKeyKind, ServerPublicKey } from "./server-keys.ts";

/** All keys of a kind that a database ever had, the latest first: the current one, and those that it took the place of. */
export const keyRingKind: RecordKind<readonly StoredKey[]> = "keyRing";

/** Stands in the place of a private half that was swept away. */
const swept = "";

/**
 * The key pairs of one database. Of each kind there is at most one current key, in any order in which processes
 * write, and once there was one there always is. Ids stay known for ever, so that no key comes back.
 */
export class KeyStore {
  constructor(private readonly records: RecordRepository) {}

  /** The key to use, or `null` as long as there was none. */
  async current(kind: ServerKeyKind): Promise<StoredKey | null> {
    return (await this.read(kind))?.value[0] ?? null;
  }

  /** The keys to accept: the current one, then earlier ones whose time is not over, the latest first. */
  async accepted(kind: ServerKeyKind): Promise<StoredKey[]> {
    const ring = await this.read(kind);
    return ring === undefined ? [] : ring.value.filter((key) => isAccepted(key, nowOf(ring)));
  }

  /**
   * Makes the key the first of its kind, unless there is a current one; answers the current one either way, so that
   * processes which start at once get the same.
   *
   * @param now milliseconds since 1970 by the storage's clock
   */
  async addFirst(key: WrappedKeyPair, now: number): Promise<StoredKey> {
    const first = begun(key, now);
    await this.records.put(keyRingKind, key.kind, [first], { ifVersion: "none" });
    return (await this.current(key.kind)) ?? first;
  }

  /** All keys whose private half was not swept away: the accepted ones first, as above, then those that are over. */
  async kept(kind: ServerKeyKind): Promise<StoredKey[]> {
    const ring = await this.read(kind);
    if (ring === undefined) return [];
    const kept = ring.value.filter(({ wrappedPrivateKey }) => wrappedPrivateKey !== swept);
    const now = nowOf(ring);
    return [...kept.filter((key) => isAccepted(key, now)), ...kept.filter((key) => !isAccepted(key, now))];
  }

  /**
   * Makes the key the current one of its kind if that has the id `expectedKeyId`; the key before is accepted for
   * `overlap` more milliseconds. Else nothing changes: `stale` if another key is current, or none; `known` if the kind
   * knows the id of the new key already.
   */
  async rotate(expectedKeyId: string, key: WrappedKeyPair, overlap: number): Promise<"ok" | "stale" | "known"> {
    for (;;) {
      const ring = await this.read(key.kind);
      const [current, ...before] = ring?.value ?? [];
      if (ring === undefined || current?.keyId !== expectedKeyId) return "stale";
      if (ring.value.some(({ keyId }) => keyId === key.keyId)) return "known";
      const now = nowOf(ring);
      if (await this.write(ring, [begun(key, now), { ...current, acceptedUntil: now + overlap }, ...before]))
        return "ok";
    }
  }

  /**
   * Forgets the private halves of the keys, of any kind, that are no longer accepted since at least `age` milliseconds; how many it were.
   */
  async sweep(age: number): Promise<number> {
    const rings = await this.records.list(keyRingKind, { after: null, limit: 10 });
    let forgotten = 0;
    for (const ring of rings) {
      const last = nowOf(ring) - age;
      const isOver = ({ acceptedUntil, wrappedPrivateKey }: StoredKey) =>
        acceptedUntil !== null && wrappedPrivateKey !== swept && acceptedUntil <= last;
      const over = ring.value.filter(isOver).length;
      const keys = ring.value.map((key) => (isOver(key) ? { ...key, wrappedPrivateKey: swept } : key));
      // Of a ring that was rotated meanwhile, the next sweep forgets them.
      if (over > 0 && (await this.write(ring, keys))) forgotten += over;
    }
    return forgotten;
  }

  private async read(kind: ServerKeyKind): Promise<StoredRecord<readonly StoredKey[]> | undefined> {
    return (await this.records.get(keyRingKind, [kind]))[0];
  }

  /** `false` if the ring was changed meanwhile. */
  private async write({ id, version }: StoredRecord<unknown>, keys: readonly StoredKey[]): Promise<boolean> {
    return (await this.records.put(keyRingKind, id, keys, { ifVersion: version })) === "stored";
  }
}

export interface WrappedKeyPair extends ServerPublicKey {
  /** Wrapped under the master key; storage never sees the private key itself. */
  readonly wrappedPrivateKey: string;
}

/** A key pair as kept. Times are by the storage's clock, milliseconds since 1970. */
export interface StoredKey extends WrappedKeyPair {
  readonly createdAt: number;
  /** From then on the key is refused; `null` while it is the current one. */
  readonly acceptedUntil: number | null;
}

function begun({ kind, keyId, publicKey, wrappedPrivateKey }: WrappedKeyPair, now: number): StoredKey {
  return { kind, keyId, publicKey, wrappedPrivateKey, createdAt: now, acceptedUntil: null };
}

function isAccepted({ acceptedUntil }: StoredKey, now: number): boolean {
  return acceptedUntil === null || now < acceptedUntil;
}

/** When a record was read, by the storage's clock. */
function nowOf({ createdAt, age }: StoredRecord<unknown>): number {
  return createdAt + age;
}
