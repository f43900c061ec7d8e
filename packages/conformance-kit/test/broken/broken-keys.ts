import type { WrappedKeyPair } from "@sallyport/core";
import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";

/** A key as if it had just been added. */
function asAdded(key: WrappedKeyPair, createdAt: number) {
  return { ...key, createdAt, acceptedUntil: null };
}

/** Faults in the key pairs of the server. */
export const brokenKeys: readonly BrokenAdapter[] = [
  broken("brings a key", "are none at first", () => (r) => ({
    keys: {
      current: async (kind) =>
        (await r.keys.current(kind)) ?? asAdded({ kind, keyId: "own", publicKey: "", wrappedPrivateKey: "" }, 0),
    },
  })),

  broken("answers whoever adds a first key with that key", "have one first, which all get who add one", () => (r) => ({
    keys: { addFirst: async (key) => asAdded(key, (await r.keys.addFirst(key)).createdAt) },
  })),

  broken(
    "looks whether there is a key, then answers with the new one",
    "have one first of those who add one at once, and all get the same",
    () => (r) => ({
      keys: {
        addFirst: async (key) => {
          const current = await r.keys.current(key.kind);
          await pause();
          const added = await r.keys.addFirst(key);
          return current ?? asAdded(key, added.createdAt);
        },
      },
    }),
  ),

  broken("rotates whatever is current", "are rotated only by who knows the current one", () => (r) => ({
    keys: {
      rotate: async (_expected, key, overlap) =>
        r.keys.rotate((await r.keys.current(key.kind))?.keyId ?? "", key, overlap),
    },
  })),

  broken("looks who is current, then rotates", "are rotated by one of those who rotate at once", () => (r) => ({
    keys: {
      rotate: async (expected, key, overlap) => {
        const current = await r.keys.current(key.kind);
        if (current?.keyId !== expected) return "stale";
        await pause();
        await r.keys.rotate((await r.keys.current(key.kind))?.keyId ?? "", key, overlap);
        return "ok";
      },
    },
  })),

  broken(
    "forgets the key before at once",
    ["are rotated: the one before is accepted for a while", "have one first, which all get who add one"],
    () => (r) => ({
      keys: { rotate: (expected, key) => r.keys.rotate(expected, key, 0) },
    }),
  ),

  broken("accepts the key before for too long", "are rotated: the one before is accepted for a while", () => (r) => ({
    keys: { rotate: (expected, key, overlap) => r.keys.rotate(expected, key, 2 * overlap) },
  })),

  broken("accepts the key before for some time in any case", "are over at once without a while", () => (r) => ({
    keys: { rotate: (expected, key, overlap) => r.keys.rotate(expected, key, Math.max(overlap, 60_000)) },
  })),

  broken("accepts the key before only", "are accepted each for its own while, the latest first", () => (r) => ({
    keys: { accepted: async (kind) => (await r.keys.accepted(kind)).slice(0, 2) },
  })),

  broken(
    "shows the earliest key first",
    ["are accepted each for its own while, the latest first", "are rotated: the one before is accepted for a while"],
    () => (r) => ({
      keys: { accepted: async (kind) => (await r.keys.accepted(kind)).toReversed() },
    }),
  ),

  broken("takes every key for one kind", "of different kinds have nothing to do with one another", () => (r) => ({
    keys: {
      current: () => r.keys.current("rsa"),
      accepted: () => r.keys.accepted("rsa"),
    },
  })),

  broken(
    "dates keys by the process's clock",
    "are kept as they were added, dated by the storage's clock",
    () => (r) => ({
      keys: {
        addFirst: async (key) => ({ ...(await r.keys.addFirst(key)), createdAt: Date.now() }),
      },
    }),
  ),

  broken("trims keys", "keep hostile texts as they are", () => (r) => ({
    keys: {
      rotate: (expected, key, overlap) => r.keys.rotate(expected, { ...key, publicKey: key.publicKey.trim() }, overlap),
    },
  })),

  broken("takes a new key with a known id", "never come back", () => (r) => ({
    keys: {
      rotate: async (expected, key, overlap) => {
        const known = (await r.keys.accepted(key.kind)).some(({ keyId }) => keyId === key.keyId);
        return r.keys.rotate(expected, known ? { ...key, keyId: `${key.keyId} again` } : key, overlap);
      },
    },
  })),

  broken("forgets the ids of keys that are over", "never come back", () => {
    const names = new Map<string, string>();
    return (r) => ({
      keys: {
        rotate: async (expected, key, overlap) => {
          const accepted = (await r.keys.accepted(key.kind)).map(({ keyId }) => keyId);
          const isNew = !accepted.includes(key.keyId);
          const keyId = isNew && names.has(key.keyId) ? `${key.keyId} again` : key.keyId;
          names.set(key.keyId, keyId);
          return r.keys.rotate(expected, { ...key, keyId }, overlap);
        },
      },
    });
  }),

  broken("keeps accepted keys only", "are kept until they are swept, the accepted ones first", () => (r) => ({
    keys: { kept: (kind) => r.keys.accepted(kind) },
  })),

  broken(
    "shows kept keys in the order of their making",
    "are kept until they are swept, the accepted ones first",
    () => (r) => ({
      keys: { kept: async (kind) => (await r.keys.kept(kind)).toSorted((a, b) => (a.keyId < b.keyId ? 1 : -1)) },
    }),
  ),

  broken(
    "sweeps keys of any age",
    "lose their private halves long after they are over, no more than asked for",
    () => (r) => ({
      keys: { sweep: (_age, limit) => r.keys.sweep(0, limit) },
    }),
  ),

  broken(
    "sweeps more keys than asked for",
    "lose their private halves long after they are over, no more than asked for",
    () => (r) => ({
      keys: { sweep: (age) => r.keys.sweep(age, 1_000) },
    }),
  ),
];
