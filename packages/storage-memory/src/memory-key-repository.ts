import type { KeyRepository, ServerKeyKind, StoredKey, WrappedKeyPair } from "@sallyport/core";
import type { Access } from "./access.ts";
import type { State } from "./state.ts";

export class MemoryKeyRepository implements KeyRepository {
  constructor(private readonly access: Access) {}

  current(kind: ServerKeyKind): Promise<StoredKey | null> {
    return this.access.read((state) => currentOf(state, kind));
  }

  accepted(kind: ServerKeyKind): Promise<StoredKey[]> {
    return this.access.read((state, now) => latestFirst(state, kind).filter((key) => isAccepted(key, now)));
  }

  kept(kind: ServerKeyKind): Promise<StoredKey[]> {
    return this.access.read((state, now) => {
      const kept = latestFirst(state, kind).filter(
        (key) => key.acceptedUntil === null || key.wrappedPrivateKey !== swept,
      );
      return [...kept.filter((key) => isAccepted(key, now)), ...kept.filter((key) => !isAccepted(key, now))];
    });
  }

  addFirst(key: WrappedKeyPair): Promise<StoredKey> {
    return this.access.write((state, now) => currentOf(state, key.kind) ?? add(state, key, now));
  }

  rotate(expectedKeyId: string, key: WrappedKeyPair, overlap: number): Promise<"ok" | "stale" | "known"> {
    return this.access.write((state, now) => {
      const current = currentOf(state, key.kind);
      if (current === null || current.keyId !== expectedKeyId) return "stale";
      if (state.keys.has(nameOf(key))) return "known";
      state.keys.set(nameOf(current), Object.freeze({ ...current, acceptedUntil: now + overlap }));
      add(state, key, now);
      return "ok";
    });
  }

  sweep(age: number, limit: number): Promise<number> {
    return this.access.write(({ keys }, now) => {
      const over = [...keys.entries()]
        .filter(([, { acceptedUntil, wrappedPrivateKey }]) => {
          return acceptedUntil !== null && wrappedPrivateKey !== swept && now - acceptedUntil >= age;
        })
        .slice(0, limit);
      for (const [name, key] of over) keys.set(name, Object.freeze({ ...key, wrappedPrivateKey: swept }));
      return over.length;
    });
  }
}

/** Stands in the place of a private half that was swept away. */
const swept = "";

function isAccepted({ acceptedUntil }: StoredKey, now: number): boolean {
  return acceptedUntil === null || now < acceptedUntil;
}

/** They became current in the order in which they were added. */
function latestFirst(state: State, kind: ServerKeyKind): StoredKey[] {
  return ofKind(state, kind).toReversed();
}

function ofKind({ keys }: State, kind: ServerKeyKind): StoredKey[] {
  return [...keys.values()].filter((key) => key.kind === kind);
}

function currentOf(state: State, kind: ServerKeyKind): StoredKey | null {
  return ofKind(state, kind).find(({ acceptedUntil }) => acceptedUntil === null) ?? null;
}

function add({ keys }: State, { kind, keyId, publicKey, wrappedPrivateKey }: WrappedKeyPair, now: number): StoredKey {
  const key = Object.freeze({ kind, keyId, publicKey, wrappedPrivateKey, createdAt: now, acceptedUntil: null });
  keys.set(nameOf(key), key);
  return key;
}

function nameOf({ kind, keyId }: WrappedKeyPair): string {
  return `${kind}:${keyId}`;
}
