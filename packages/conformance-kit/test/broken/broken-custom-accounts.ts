import { isUuid } from "@sallyport/core";
import { accountOf } from "../../src/fixtures/accounts.ts";
import { findingNames } from "./selector-faults.ts";
import { type BrokenAdapter, broken } from "./broken-adapter.ts";

/** Faults in the accounts of those who are no database users. */
export const brokenCustomAccounts: readonly BrokenAdapter[] = [
  broken(
    "cuts a custom name at a zero character",
    "are found by exactly their names, and nobody under names that nobody can have, of custom users",
    () => (r) => ({
      accounts: {
        find: findingNames(r, "custom", (name) =>
          r.accounts.find({ realm: "custom", loginName: name.replace(/\0.*$/s, "") }, []),
        ),
      },
    }),
  ),

  broken(
    "has no decoy for a custom name",
    "give for a proof the secret of the next account by name as decoy, of custom users",
    () => (r) => ({
      accounts: {
        find: findingNames(r, "custom", async (name) => {
          const found = await r.accounts.find({ realm: "custom", loginName: name }, []);
          return { ...found, decoy: found.account?.secret ?? null };
        }),
      },
    }),
  ),

  broken(
    "does not know confusable custom names",
    "are refused under a name, a confusable key or an id that is taken, and nothing changes, of custom users",
    () => (r) => ({
      accounts: { create: (account, key) => r.accounts.create(account, account.id ?? key) },
    }),
  ),

  broken(
    "stores whatever custom secret comes last",
    "leave a secret alone whose version is not the one expected, of custom users",
    () => (r) => ({
      accounts: {
        setSecret: async (id, secret, version) => {
          const account = isUuid(id) ? await accountOf(r, id) : null;
          return r.accounts.setSecret(id, secret, account?.secretVersion ?? version);
        },
      },
    }),
  ),

  broken(
    "hashes a custom password anew whatever the secret is",
    "put another hash of a password in the place of the one given, and keep the version, of custom users",
    () => (r) => ({
      accounts: {
        rehash: async (id, secret, newSecret) => {
          const account = isUuid(id) ? await accountOf(r, id) : null;
          return r.accounts.rehash(id, account?.secret ?? secret, newSecret);
        },
      },
    }),
  ),

  broken(
    "maps a custom account and keeps its version",
    "are mapped to another user, with another version, and database users are not",
    () => {
      const mapped = new Map<string, number>();
      return (r) => ({
        accounts: {
          change: (id, change) => {
            if (change.userId !== undefined) mapped.set(id, (mapped.get(id) ?? 0) + 1);
            return r.accounts.change(id, change);
          },
          find: async (selector, links) => {
            const found = await r.accounts.find(selector, links);
            const { account } = found;
            if (account === null) return found;
            const secretVersion = account.secretVersion - (mapped.get(account.id) ?? 0);
            return { ...found, account: { ...account, secretVersion } };
          },
        },
      });
    },
  ),
];
