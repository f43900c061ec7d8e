import { type KeyRepository, type ServerKeyKind, ServiceError, type StoredKey, type WrappedKeyPair } from "@sallyport/core";
import type { Access } from "./access.ts";
import type { State } from "./state.ts";

export class MemoryKeyRepository implements KeyRepository {
  constructor(private readonly access: Access) {}

  current(kind: ServerKeyKind): Promise<StoredKey | null> {
    return this.access.read((state) => currentOf(state, kind));
  }

  accepted(kind: ServerKeyKind): Promise<StoredKey[]> {
    return this.access.read((state, now) => {
      const earlier = ofKind(state, kind).filter(({ acceptedUntil }) => acceptedUntil !== null && now < acceptedUntil);
      const current = currentOf(state, kind);
      // They became current in the order in which they were added.
      return [...(current === null ? [] : [current]), ...earlier.toReversed()];
    });
  }

  addFirst(key: WrappedKeyPair): Promise<StoredKey> {
    return this.access.write((state, now) => currentOf(state, key.kind) ?? add(state, key, now));
  }

  rotate(expectedKeyId: string, key: WrappedKeyPair, overlap: number): Promise<"ok" | "stale"> {
    return this.access.write((state, now) => {
      const current = currentOf(state, key.kind);
      if (current === null || current.keyId !== expectedKeyId) return "stale";
      state.keys.set(nameOf(current), Object.freeze({ ...current, acceptedUntil: now + overlap }));
      add(state, key, now);
      return "ok";
    });
  }

  sweep(age: number, limit: number): Promise<number> {
    return this.access.write(({ keys }, now) => {
      const over = [...keys.entries()]
        .filter(([, { acceptedUntil }]) => acceptedUntil !== null && now - acceptedUntil >= age)
        .slice(0, limit);
      for (const [name] of over) keys.delete(name);
      return over.length;
    });
  }
}

function ofKind({ keys }: State, kind: ServerKeyKind): StoredKey[] {
  return [...keys.values()].filter((key) => key.kind === kind);
}

function currentOf(state: State, kind: ServerKeyKind): StoredKey | null {
  return ofKind(state, kind).find(({ acceptedUntil }) => acceptedUntil === null) ?? null;
}

function add({ keys }: State, { kind, keyId, publicKey, wrappedPrivateKey }: WrappedKeyPair, now: number): StoredKey {
  const key = Object.freeze({ kind, keyId, publicKey, wrappedPrivateKey, createdAt: now, acceptedUntil: null });
  if (keys.has(nameOf(key))) throw new ServiceError(799, { detail: "The id of a new key is in use." });
  keys.set(nameOf(key), key);
  return key;
}

function nameOf({ kind, keyId }: StoredKey): string {
  return `${kind}:${keyId}`;
}
