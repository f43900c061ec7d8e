import { isUuid } from "@sallyport/storage";
import { accountOf } from "../../src/fixtures/accounts.ts";
import { findingNames } from "./selector-faults.ts";
import { type BrokenAdapter, broken } from "./broken-adapter.ts";

/** Faults in custom accounts. */
export const brokenCustomAccounts: readonly BrokenAdapter[] = [
  broken(
    "truncates the name of a custom account at a zero character",
    "finds accounts by their exact names only, and none for invalid names (custom accounts)",
    () => (r) => ({
      accounts: {
        find: findingNames(r, "custom", (name) =>
          r.accounts.find({ realm: "custom", loginName: name.replace(/\0.*$/s, "") }, []),
        ),
      },
    }),
  ),

  broken(
    "returns no decoy for the name of a custom account",
    "returns the secret of the next account by name as a decoy (custom accounts)",
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
    "ignores confusable names of custom accounts",
    "refuses a duplicate name, confusable key or ID without changes (custom accounts)",
    () => (r) => ({
      accounts: { create: (account, key) => r.accounts.create(account, account.id ?? key) },
    }),
  ),

  broken(
    "ignores the expected version of a custom account secret",
    "keeps a secret if the expected version does not match (custom accounts)",
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
    "ignores the current hash when it rehashes a custom account password",
    "replaces a password hash if the current hash matches, and keeps the version (custom accounts)",
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
    "keeps the version of a mapped custom account",
    "maps a custom account to another user with a new version, and leaves database accounts unchanged",
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
