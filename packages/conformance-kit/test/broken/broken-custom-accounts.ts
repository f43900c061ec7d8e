import type { Digest, PendingPassword } from "@sallyport/core";
import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";

const atOnce = [
  "never exceed the tries, however many try at once",
  "are confirmed by one of those who have the code at once",
];

/** Faults in the accounts of those who are no database users. */
export const brokenCustomAccounts: readonly BrokenAdapter[] = [
  broken(
    "cuts a custom name at a zero character",
    "are found by exactly their names, and nobody under names that nobody can have",
    () => (r) => ({
      customAccounts: { forProof: (name) => r.customAccounts.forProof(name.replace(/\0.*$/s, "")) },
    }),
  ),

  broken(
    "has no decoy for a custom name",
    "give for a proof the secret of the next account by name as decoy",
    () => (r) => ({
      customAccounts: {
        forProof: async (name) => {
          const { account } = await r.customAccounts.forProof(name);
          return { account, decoy: account?.secret ?? null };
        },
      },
    }),
  ),

  broken(
    "does not know confusable custom names",
    "are refused under a name, a confusable key or an id that is taken, and nothing changes",
    () => (r) => ({
      customAccounts: { create: (account) => r.customAccounts.create(account, account.id) },
    }),
  ),

  broken(
    "stores whatever custom secret comes last",
    "leave a secret alone whose version is not the one expected",
    () => (r) => ({
      customAccounts: {
        setSecret: async (id, secret) => {
          const account = await r.customAccounts.find(id);
          return r.customAccounts.setSecret(id, secret, account?.secretVersion ?? 0);
        },
      },
    }),
  ),

  broken(
    "hashes a custom password anew whatever the secret is",
    "put another hash of a password in the place of the one given, and keep the version",
    () => (r) => ({
      customAccounts: {
        rehash: async (id, secret, newSecret) => {
          const account = await r.customAccounts.find(id);
          return r.customAccounts.rehash(id, account?.secret ?? secret, newSecret);
        },
      },
    }),
  ),

  broken("maps a custom account and keeps its version", "are mapped to another user, with another version", () => {
    const mapped = new Map<string, number>();
    return (r) => ({
      customAccounts: {
        setUser: async (id, userId) => {
          mapped.set(id, (mapped.get(id) ?? 0) + 1);
          return r.customAccounts.setUser(id, userId);
        },
        find: async (id) => {
          const account = await r.customAccounts.find(id);
          return account && { ...account, secretVersion: account.secretVersion - (mapped.get(id) ?? 0) };
        },
      },
    });
  }),

  broken(
    "makes a new custom password current before it is confirmed",
    "keep a new password until its code confirms it, and only once",
    () => (r) => ({
      customAccounts: {
        request: async (id, pending, version) => {
          const outcome = await r.customAccounts.request(id, pending, version);
          if (outcome === "kept") await r.customAccounts.confirm(id, pending.code);
          return outcome;
        },
      },
    }),
  ),

  broken(
    "asks for a new custom password over any version",
    "ask for a new password over the current version alone",
    () => (r) => ({
      customAccounts: {
        request: async (id, pending) => {
          const account = await r.customAccounts.find(id);
          return r.customAccounts.request(id, pending, account?.secretVersion ?? 0);
        },
      },
    }),
  ),

  broken(
    "does not count wrong codes",
    ["refuse the code when its tries are used up", "never exceed the tries, however many try at once"],
    () => (r) => ({
      customAccounts: {
        request: (id, pending, version) => r.customAccounts.request(id, { ...pending, tries: 1_000 }, version),
      },
    }),
  ),

  broken("counts a right code as a try before it looks", "accept the code at the last of its tries", () => (r) => ({
    customAccounts: {
      request: (id, pending, version) =>
        r.customAccounts.request(id, { ...pending, tries: pending.tries - 1 }, version),
    },
  })),

  broken("takes codes that come at once for one", atOnce, () => {
    let running: Promise<number | null> | undefined;
    return (r) => ({
      customAccounts: {
        confirm: (id: string, code: Digest) => {
          running ??= pause()
            .then(() => r.customAccounts.confirm(id, code))
            .finally(() => (running = undefined));
          return running;
        },
      },
    });
  }),

  broken("keeps codes for ever", "refuse the code when its time is over, by the storage's clock", () => (r) => ({
    customAccounts: {
      request: (id, pending, version) => r.customAccounts.request(id, { ...pending, lifetime: 1_000_000_000 }, version),
    },
  })),

  broken("keeps what waits when a custom secret is set", "forget what waits when the secret is set", () => {
    const waiting = new Map<string, PendingPassword>();
    return (r) => ({
      customAccounts: {
        request: (id, pending, version) => {
          waiting.set(id, pending);
          return r.customAccounts.request(id, pending, version);
        },
        setSecret: async (id, secret, version) => {
          const outcome = await r.customAccounts.setSecret(id, secret, version);
          const pending = waiting.get(id);
          if (outcome === "stored" && pending !== undefined) await r.customAccounts.request(id, pending, version + 1);
          return outcome;
        },
      },
    });
  }),
];
