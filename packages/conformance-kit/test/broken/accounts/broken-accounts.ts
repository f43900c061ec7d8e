import {
  type Account,
  type AccountRepository,
  identityLinkKind,
  linkOwner,
  type ListedAccount,
  type Repositories,
  seesAll,
  ServiceError,
} from "@sallyport/core";
import { findingIds, findingNames } from "../selector-faults.ts";
import { type BrokenAdapter, broken, pause } from "../broken-adapter.ts";

const belongings = "removes with an account what belongs to its user, and nothing else";

/** Puts back a custom account that was removed, under its id. */
async function restored(r: Repositories, each: ListedAccount): Promise<void> {
  await r.accounts.create({ ...each, secret: "first secret" }, `like ${each.loginName}`);
}

/** Faults in how accounts are found and removed, and in their secrets and addresses. */
export const brokenAccounts: readonly BrokenAdapter[] = [
  broken("finds login names in any case", "finds for a proof the account by exactly its name", () => {
    const spellings = new Map<string, string>();
    return (r) => ({
      accounts: {
        create: (account, key) => {
          spellings.set(account.loginName.toLowerCase(), account.loginName);
          return r.accounts.create(account, key);
        },
        find: findingNames(r, "database", (name, links) =>
          r.accounts.find({ realm: "database", loginName: spellings.get(name.toLowerCase()) ?? name }, links),
        ),
      },
    });
  }),

  broken(
    "cuts a name at a zero character",
    "are found by exactly their names, and nobody under names that nobody can have",
    () => (r) => ({
      accounts: {
        find: findingNames(r, "database", (name, links) =>
          r.accounts.find({ realm: "database", loginName: name.replace(/\0.*$/s, "") }, links),
        ),
      },
    }),
  ),

  broken(
    "does not know confusable names",
    "are refused under a name, a confusable key or an id that is taken, and nothing changes",
    () => (r) => ({
      accounts: { create: (account) => r.accounts.create(account, account.id ?? account.userId) },
    }),
  ),

  broken("stores whatever secret comes last", "leave a secret alone whose version is not the one expected", () => {
    const versions = new Map<string, number>();
    return (r) => ({
      accounts: {
        setSecret: async (userId, secret, expected) => {
          const version = versions.get(userId) ?? expected;
          versions.set(userId, version + 1);
          return r.accounts.setSecret(userId, secret, version);
        },
      },
    });
  }),

  broken(
    "hashes anew whatever the secret is",
    "put another hash of a password in the place of the one given, and keep the version",
    () => {
      const secrets = new Map<string, string>();
      return (r) => ({
        accounts: {
          rehash: async (userId, secret, newSecret) => {
            const current = secrets.get(userId) ?? secret;
            secrets.set(userId, newSecret);
            return r.accounts.rehash(userId, current, newSecret);
          },
        },
      });
    },
  ),

  broken(
    "finds for a proof what one link of several points to",
    "finds for a proof what the links of the user object point to",
    () => (r) => ({
      accounts: {
        find: findingNames(r, "database", (name, links) =>
          r.accounts.find({ realm: "database", loginName: name }, links.slice(0, 1)),
        ),
      },
    }),
  ),

  broken("removes accounts, but not their links", belongings, () => (r) => ({
    accounts: {
      remove: async (userIds) => {
        const all = await r.records.list(identityLinkKind, { after: null, limit: 1_000 });
        const outcome = await r.accounts.remove(userIds);
        for (const { id, owner, value } of all)
          if (userIds.includes(value.userId)) await r.records.put(identityLinkKind, id, value, { owner });
        return outcome;
      },
    },
  })),

  broken("removes accounts, but not their customAccounts", belongings, () => (r) => ({
    accounts: {
      remove: async (userIds) => {
        const all = await r.accounts.list("custom", null, 1_000);
        const outcome = await r.accounts.remove(userIds);
        for (const each of all) if (userIds.includes(each.userId)) await restored(r, each);
        return outcome;
      },
    },
  })),

  broken(
    "removes what belongs to an administrator who stays",
    "removes nothing of what belongs to the last administrator",
    () => (r) => ({
      accounts: {
        remove: async (userIds) => {
          for (const userId of userIds) await r.records.remove(identityLinkKind, { owner: linkOwner(userId) });
          return r.accounts.remove(userIds);
        },
      },
    }),
  ),

  broken(
    "finds nobody disabled by his user",
    "are found by their user, with what his object points to, as for a proof",
    () => (r) => ({
      accounts: {
        find: findingIds(r, async (userId, links) => {
          const found = await r.accounts.find({ id: userId }, links);
          return found.account?.disabled === true ? { ...found, account: null, user: null, linked: [] } : found;
        }),
      },
    }),
  ),

  broken("finds users without accounts", "are not found by a user who has none", () => (r) => ({
    accounts: {
      find: findingIds(r, async (userId, links) => {
        const [user = null] = await r.objects.get([userId], seesAll);
        return { ...(await r.accounts.find({ id: userId }, links)), user };
      }),
    },
  })),

  broken("writes addresses in small letters", "get another e-mail address, or none", () => (r) => ({
    accounts: {
      change: (id, change) => r.accounts.change(id, { ...change, email: change.email?.toLowerCase() ?? null }),
    },
  })),

  broken("makes addresses storable", "get another e-mail address, or none", () => (r) => ({
    accounts: {
      change: (id, change) =>
        r.accounts.change(id, { ...change, email: change.email?.replaceAll(/[\0\p{Surrogate}]/gu, "") ?? null }),
    },
  })),

  broken(
    "finds for a proof what everybody sees",
    "finds for a proof what the links of the user object point to",
    () => (r) => ({
      accounts: {
        find: findingNames(r, "database", async (name, links) => {
          const found = await r.accounts.find({ realm: "database", loginName: name }, links);
          return { ...found, linked: found.linked.filter(({ readers }) => readers === null) };
        }),
      },
    }),
  ),

  broken(
    "finds for a proof what links point to, however large it is",
    "finds for a proof nothing of what takes too much together",
    () => (r) => ({
      accounts: {
        find: findingNames(r, "database", async (name, links) => {
          const found = await r.accounts.find({ realm: "database", loginName: name }, links);
          const ids = links.flatMap((link) => (found.user?.attributes[link] ?? []) as string[]);
          return { ...found, linked: await r.objects.get(ids, seesAll) };
        }),
      },
    }),
  ),

  broken(
    "has no decoy after the last account",
    "give for a proof the secret of the next account by name as decoy",
    () => (r) => ({
      accounts: {
        find: findingNames(r, "database", async (name, links) => {
          const found = await r.accounts.find({ realm: "database", loginName: name }, links);
          return name > "ü" ? { ...found, decoy: null } : found;
        }),
      },
    }),
  ),

  broken("keeps the version of a secret", "replace a secret and raise its version", () => (r) => ({
    accounts: { find: findingAccounts(r, (account) => ({ ...account, secretVersion: 1 })) },
  })),
];

/** Faults in how accounts are created and switched. */
export const brokenAccountCreation: readonly BrokenAdapter[] = [
  broken(
    "makes nobody an administrator",
    "are kept as they were created, enabled, and found by name and by id",
    () => (r) => ({
      accounts: { create: (account, key) => r.accounts.create({ ...account, administrator: false }, key) },
    }),
  ),

  broken(
    "finds a way when a name is taken",
    [
      "are refused under a name, a confusable key or an id that is taken, and nothing changes",
      "refuses a second account for one user",
    ],
    () => (r) => ({
      accounts: {
        create: async (account, key) => {
          const outcome = await r.accounts.create(account, key);
          if (outcome === "created") return outcome;
          return r.accounts.create({ ...account, userId: "ZZZ", loginName: `${account.loginName} 2` }, `${key} 2`);
        },
      },
    }),
  ),

  broken("stores secrets of nobody", "leave a secret alone whose version is not the one expected", () => (r) => ({
    accounts: {
      setSecret: async (userId, secret, version) => {
        const disabledNobody = !(await r.accounts.change(userId, { disabled: false }));
        return disabledNobody ? "stored" : r.accounts.setSecret(userId, secret, version);
      },
    },
  })),

  broken("does not find disabled accounts", "are disabled and enabled, and found either way", () => (r) => ({
    accounts: { find: findingAccounts(r, (account) => (account.disabled ? null : account)) },
  })),
];

/** Faults in the list of accounts, and in their names. */
export const brokenAccountNames: readonly BrokenAdapter[] = [
  broken("lists secrets", "are listed by code points, part by part, and nothing that opens them", () => (r) => ({
    accounts: {
      list: async (realm, after, limit) => {
        const listed = await r.accounts.list(realm, after, limit);
        const whole = await Promise.all(
          listed.map(({ loginName }) => r.accounts.find({ realm: "database", loginName }, [])),
        );
        return whole.flatMap(({ account }) => account ?? []);
      },
    },
  })),

  broken(
    "gives every name to whoever wants it",
    "are refused with 307 a new name that is another's or confusable with it",
    () => (r) => ({
      accounts: {
        change: async (id, change) => {
          const { name } = change;
          try {
            return await r.accounts.change(id, change);
          } catch (error) {
            if (name === undefined) throw error;
            const other = { loginName: `${name.loginName} 2`, confusableKey: `${name.confusableKey} 2` };
            return r.accounts.change(id, { ...change, name: other });
          }
        },
      },
    }),
  ),

  broken("says that it renamed nobody", "are found by their new names alone, the rest unchanged", () => (r) => ({
    accounts: {
      change: async (id, change) => (await r.accounts.change(id, change)) || change.name !== undefined,
    },
  })),

  broken(
    "looks whether a name is free before it is given",
    "are given a name that several want at once one by one",
    () => {
      const keys = new Map<string, string>();
      return (r) => ({
        accounts: {
          change: async (id, change) => {
            const { name } = change;
            if (name === undefined) return r.accounts.change(id, change);
            const { loginName, confusableKey } = name;
            if ((keys.get(confusableKey) ?? id) !== id) throw new ServiceError(307);
            await pause();
            keys.set(confusableKey, id);
            return r.accounts.change(id, { ...change, name: { loginName, confusableKey: `${confusableKey} ${id}` } });
          },
        },
      });
    },
  ),

  broken("cuts names at 255 characters", "keep long and hostile names and secrets whole", () => (r) => ({
    accounts: {
      create: (account, key) => r.accounts.create({ ...account, loginName: account.loginName.slice(0, 255) }, key),
      find: findingNames(r, "database", (name, links) =>
        r.accounts.find({ realm: "database", loginName: name.slice(0, 255) }, links),
      ),
    },
  })),

  broken("cuts blanks off secrets", "keep long and hostile names and secrets whole", () => (r) => ({
    accounts: { create: (account, key) => r.accounts.create({ ...account, secret: account.secret.trim() }, key) },
  })),
];

/** A `find` with a fault in the accounts that it finds. */
function findingAccounts(r: Repositories, fault: (account: Account) => Account | null): AccountRepository["find"] {
  return async (selector, links) => {
    const found = await r.accounts.find(selector, links);
    return found.account === null ? found : { ...found, account: fault(found.account) };
  };
}
