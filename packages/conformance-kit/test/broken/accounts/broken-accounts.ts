import {
  type Account,
  type AccountRepository,
  identityLinkKind,
  linkOwner,
  type ListedAccount,
  type Repositories,
  seesAll,
  ServiceError,
} from "@sallyport/storage";
import { findingIds, findingNames } from "../selector-faults.ts";
import { type BrokenAdapter, broken, pause } from "../broken-adapter.ts";

const belongings = "removes everything that belongs to the user with the account, and nothing else";

/** Restores a removed custom account under its ID. */
async function restored(r: Repositories, each: ListedAccount): Promise<void> {
  await r.accounts.create({ ...each, secret: "first secret" }, `like ${each.loginName}`);
}

/** Faults in finding and removing accounts, and in their secrets and addresses. */
export const brokenAccounts: readonly BrokenAdapter[] = [
  broken("compares login names case-insensitively", "finds an account for a proof by its exact name only", () => {
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
    "truncates a name at a zero character",
    "finds accounts by their exact names only, and none for invalid names",
    () => (r) => ({
      accounts: {
        find: findingNames(r, "database", (name, links) =>
          r.accounts.find({ realm: "database", loginName: name.replace(/\0.*$/s, "") }, links),
        ),
      },
    }),
  ),

  broken("ignores confusable names", "refuses a duplicate name, confusable key or ID without changes", () => (r) => ({
    accounts: { create: (account) => r.accounts.create(account, account.id ?? account.userId) },
  })),

  broken("ignores the expected version of a secret", "keeps a secret if the expected version does not match", () => {
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
    "ignores the current hash when it rehashes a password",
    "replaces a password hash if the current hash matches, and keeps the version",
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
    "returns the targets of one link with a proof",
    "returns the linked objects of the user object with a proof",
    () => (r) => ({
      accounts: {
        find: findingNames(r, "database", (name, links) =>
          r.accounts.find({ realm: "database", loginName: name }, links.slice(0, 1)),
        ),
      },
    }),
  ),

  broken("keeps links of removed accounts", belongings, () => (r) => ({
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

  broken("keeps custom accounts of removed users", belongings, () => (r) => ({
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
    "removes the data of an administrator whose removal is refused",
    "keeps all data of the last administrator when it refuses the removal",
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
    "does not find disabled accounts by user",
    "finds the account of a user with the linked objects, as in a password proof",
    () => (r) => ({
      accounts: {
        find: findingIds(r, async (userId, links) => {
          const found = await r.accounts.find({ id: userId }, links);
          return found.account?.disabled === true ? { ...found, account: null, user: null, linked: [] } : found;
        }),
      },
    }),
  ),

  broken("finds users without accounts", "finds no account for a user without one", () => (r) => ({
    accounts: {
      find: findingIds(r, async (userId, links) => {
        const [user = null] = await r.objects.get([userId], seesAll);
        return { ...(await r.accounts.find({ id: userId }, links)), user };
      }),
    },
  })),

  broken("stores e-mail addresses in lower case", "changes and removes the e-mail address", () => (r) => ({
    accounts: {
      change: (id, change) => r.accounts.change(id, { ...change, email: change.email?.toLowerCase() ?? null }),
    },
  })),

  broken("replaces unstorable characters in e-mail addresses", "changes and removes the e-mail address", () => (r) => ({
    accounts: {
      change: (id, change) =>
        r.accounts.change(id, { ...change, email: change.email?.replaceAll(/[\0\p{Surrogate}]/gu, "") ?? null }),
    },
  })),

  broken(
    "returns public objects only with a proof",
    "returns the linked objects of the user object with a proof",
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
    "ignores the size limit of the links in a proof",
    "omits linked objects from a proof if they exceed the size limit in total",
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
    "returns no decoy after the last account",
    "returns the secret of the next account by name as a decoy",
    () => (r) => ({
      accounts: {
        find: findingNames(r, "database", async (name, links) => {
          const found = await r.accounts.find({ realm: "database", loginName: name }, links);
          return name > "ü" ? { ...found, decoy: null } : found;
        }),
      },
    }),
  ),

  broken("does not increase the version of a secret", "replaces a secret and increases its version", () => (r) => ({
    accounts: { find: findingAccounts(r, (account) => ({ ...account, secretVersion: 1 })) },
  })),
];

/** Faults in creating and disabling accounts. */
export const brokenAccountCreation: readonly BrokenAdapter[] = [
  broken("creates no administrators", "creates accounts enabled and finds them by name and by ID", () => (r) => ({
    accounts: { create: (account, key) => r.accounts.create({ ...account, administrator: false }, key) },
  })),

  broken(
    "changes a taken name instead of refusing it",
    ["refuses a duplicate name, confusable key or ID without changes", "refuses a second account for the same user"],
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

  broken(
    "reports success for secrets of unknown users",
    "keeps a secret if the expected version does not match",
    () => (r) => ({
      accounts: {
        setSecret: async (userId, secret, version) => {
          const disabledNobody = !(await r.accounts.change(userId, { disabled: false }));
          return disabledNobody ? "stored" : r.accounts.setSecret(userId, secret, version);
        },
      },
    }),
  ),

  broken(
    "does not find disabled accounts",
    "disables and enables accounts, and finds them in both states",
    () => (r) => ({
      accounts: { find: findingAccounts(r, (account) => (account.disabled ? null : account)) },
    }),
  ),
];

/** Faults in the list of accounts, and in their names. */
export const brokenAccountNames: readonly BrokenAdapter[] = [
  broken("lists secrets", "lists accounts page by page in code point order, without secrets", () => (r) => ({
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
    "ignores taken names when it renames accounts",
    "refuses a new name that is taken or confusable with 307",
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

  broken("reports success for renaming unknown users", "renames accounts and changes nothing else", () => (r) => ({
    accounts: {
      change: async (id, change) => (await r.accounts.change(id, change)) || change.name !== undefined,
    },
  })),

  broken("checks whether a name is free before it renames", "gives a name to one of several concurrent renames", () => {
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
  }),

  broken("truncates names at 255 characters", "stores long and hostile names and secrets unchanged", () => (r) => ({
    accounts: {
      create: (account, key) => r.accounts.create({ ...account, loginName: account.loginName.slice(0, 255) }, key),
      find: findingNames(r, "database", (name, links) =>
        r.accounts.find({ realm: "database", loginName: name.slice(0, 255) }, links),
      ),
    },
  })),

  broken("trims secrets", "stores long and hostile names and secrets unchanged", () => (r) => ({
    accounts: { create: (account, key) => r.accounts.create({ ...account, secret: account.secret.trim() }, key) },
  })),
];

/** A `find` with a fault in its results. */
function findingAccounts(r: Repositories, fault: (account: Account) => Account | null): AccountRepository["find"] {
  return async (selector, links) => {
    const found = await r.accounts.find(selector, links);
    return found.account === null ? found : { ...found, account: fault(found.account) };
  };
}
