import type { ServerKeyKind, ServerPublicKey } from "./server-keys.ts";

/**
 * Port: the key pairs of one database. Of each kind there is at most one current key, in whatever order processes
 * write, and once there was one there always is. Ids stay known for ever, so that no key comes back.
 */
export interface KeyRepository {
  /** The key to use, or `null` as long as there was none. */
  current(kind: ServerKeyKind): Promise<StoredKey | null>;

  /** The keys to accept: the current one, then earlier ones whose time is not over, the latest first. */
  accepted(kind: ServerKeyKind): Promise<StoredKey[]>;

  /**
   * Makes the key the first of its kind, unless there is a current one; answers the current one either way, so that
   * processes which start at once get the same.
   */
  addFirst(key: WrappedKeyPair): Promise<StoredKey>;

  /** All keys whose private half was not swept away: the accepted ones first, as above, then those that are over. */
  kept(kind: ServerKeyKind): Promise<StoredKey[]>;

  /**
   * Makes the key the current one of its kind if that has the id `expectedKeyId`; the key before is accepted for
   * `overlap` more milliseconds. Else nothing changes: `stale` if another key is current, or none; `known` if the kind
   * knows the id of the new key already.
   */
  rotate(expectedKeyId: string, key: WrappedKeyPair, overlap: number): Promise<"ok" | "stale" | "known">;

  /**
   * Forgets the private halves of at most `limit` keys, of any kind, that are no longer accepted since at least `age`
   * milliseconds; how many it were.
   */
  sweep(age: number, limit: number): Promise<number>;
}

/** A key pair to be kept. */
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
