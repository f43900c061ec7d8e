import {
  type Account,
  type AccountRepository,
  type IdentityLink,
  type ListedCustomAccount,
  type Repositories,
  seesAll,
  ServiceError,
} from "@sallyport/core";
import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";

const belongings = "removes with an account what belongs to its user, and nothing else";

/** Puts back what was removed, under its id. */
async function restored(r: Repositories, each: IdentityLink | ListedCustomAccount): Promise<void> {
  if ("issuer" in each) await r.identityLinks.create(each);
  else await r.customAccounts.create({ ...each, secret: "first secret" }, `like ${each.loginName}`);
}

/** Faults in app keys, applications and accounts. */
export const brokenNames: readonly BrokenAdapter[] = [
  broken("finds login names in any case", "finds for a proof the account by exactly its name", () => {
    const spellings = new Map<string, string>();
    return (r) => ({
      accounts: {
        create: (account, key) => {
          spellings.set(account.loginName.toLowerCase(), account.loginName);
          return r.accounts.create(account, key);
        },
        forProof: (name, links) => r.accounts.forProof(spellings.get(name.toLowerCase()) ?? name, links),
      },
    });
  }),

  broken("cuts a name at a zero character", "finds nobody under names that nobody can have", () => (r) => ({
    accounts: { forProof: (name, links) => r.accounts.forProof(name.replace(/\0.*$/s, ""), links) },
  })),

  broken("does not know confusable names", "refuses a login name that is confusable with another", () => (r) => ({
    accounts: { create: (account) => r.accounts.create(account, account.userId) },
  })),

  broken("stores whatever secret comes last", "leaves a secret alone whose version is not the one expected", () => {
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
    "puts another hash of a password in the place of the one given, and keeps the version",
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
      accounts: { forProof: (name, links) => r.accounts.forProof(name, links.slice(0, 1)) },
    }),
  ),

  ...(["identityLinks", "customAccounts"] as const).map((kept) =>
    broken(`removes accounts, but not their ${kept}`, belongings, () => (r) => ({
      accounts: {
        remove: async (userIds) => {
          const all =
            kept === "identityLinks"
              ? await r.identityLinks.list(null, 1_000)
              : await r.customAccounts.list(null, 1_000);
          const outcome = await r.accounts.remove(userIds);
          for (const each of all) if (userIds.includes(each.userId)) await restored(r, each);
          return outcome;
        },
      },
    })),
  ),

  broken(
    "removes what belongs to an administrator who stays",
    "removes nothing of what belongs to the last administrator",
    () => (r) => ({
      accounts: {
        remove: async (userIds) => {
          for (const userId of userIds)
            for (const { id } of await r.identityLinks.ofUser(userId)) await r.identityLinks.remove({ id });
          return r.accounts.remove(userIds);
        },
      },
    }),
  ),

  broken("keeps the second factors of removed accounts", belongings, () => (r) => ({
    accounts: {
      remove: async (userIds) => {
        const factors = await r.secondFactors.list(null, 1_000);
        const outcome = await r.accounts.remove(userIds);
        for (const factor of factors) await r.secondFactors.enrol(factor);
        return outcome;
      },
    },
  })),

  broken(
    "finds nobody disabled by his user",
    "are found by their user, with what his object points to, as for a proof",
    () => (r) => ({
      accounts: {
        byUser: async (userId, links) => {
          const found = await r.accounts.byUser(userId, links);
          return found.account?.disabled === true ? { account: null, user: null, linked: [] } : found;
        },
      },
    }),
  ),

  broken("finds users without accounts", "are not found by a user who has none", () => (r) => ({
    accounts: {
      byUser: async (userId, links) => {
        const [user = null] = await r.objects.get([userId], seesAll);
        return { ...(await r.accounts.byUser(userId, links)), user };
      },
    },
  })),

  broken(
    "writes addresses in small letters",
    "keep the address that they were created with or were given, or none",
    () => (r) => ({
      accounts: { setEmail: (userId, email) => r.accounts.setEmail(userId, email?.toLowerCase() ?? null) },
    }),
  ),

  broken("makes addresses storable", "are given no address that cannot be stored", () => (r) => ({
    accounts: {
      setEmail: (userId, email) => r.accounts.setEmail(userId, email?.replaceAll(/[\0\p{Surrogate}]/gu, "") ?? null),
    },
  })),

  broken(
    "finds for a proof what everybody sees",
    "finds for a proof what the links of the user object point to",
    () => (r) => ({
      accounts: {
        forProof: async (name, links) => {
          const found = await r.accounts.forProof(name, links);
          return { ...found, linked: found.linked.filter(({ readers }) => readers === null) };
        },
      },
    }),
  ),

  broken(
    "finds for a proof what links point to, however large it is",
    "finds for a proof nothing of what takes too much together",
    () => (r) => ({
      accounts: {
        forProof: async (name, links) => {
          const found = await r.accounts.forProof(name, links);
          const ids = links.flatMap((link) => (found.user?.attributes[link] ?? []) as string[]);
          return { ...found, linked: await r.objects.get(ids, seesAll) };
        },
      },
    }),
  ),

  broken(
    "has no decoy after the last account",
    "gives for a proof the secret of the next account by name as decoy",
    () => (r) => ({
      accounts: {
        forProof: async (name, links) => {
          const found = await r.accounts.forProof(name, links);
          return name > "ü" ? { ...found, decoy: null } : found;
        },
      },
    }),
  ),

  broken("keeps the version of a secret", "replaces a secret and raises its version", () => (r) => ({
    accounts: { forProof: findingAccounts(r, (account) => ({ ...account, secretVersion: 1 })) },
  })),

  broken("does not see blanks at the end of app names", "compares app names exactly", () => (r) => ({
    applications: { known: (names) => r.applications.known(names.map((name) => name.trimEnd())) },
  })),

  broken(
    "names app names as often as it is asked",
    "names each app name once, however often it is asked for",
    () => (r) => ({
      applications: {
        known: async (names) => {
          const known = await r.applications.known(names);
          return names.filter((name) => known.includes(name));
        },
      },
    }),
  ),

  broken(
    "looks for a free name, then takes it",
    "creates one app key of those that want one name at once",
    () => (r) => ({
      appKeys: {
        create: async (appKey, digest) => {
          const free = !(await r.appKeys.setEnabled(appKey.name, true));
          await pause();
          if (free) await r.appKeys.create(appKey, digest);
          return free ? "created" : "nameTaken";
        },
      },
    }),
  ),

  broken("takes any part of an origin for it", "knows the origins that its app keys list, compared exactly", () => {
    const origins: string[] = [];
    return (r) => ({
      appKeys: {
        create: (appKey, digest) => {
          origins.push(...appKey.origins);
          return r.appKeys.create(appKey, digest);
        },
        listsOrigin: async (origin) => origins.some((listed) => listed.includes(origin)),
      },
    });
  }),

  broken(
    "does not keep app names and origins",
    ["keeps an app key as it was created, enabled", "tells an app key for all app names from one for none"],
    () => (r) => ({
      appKeys: { create: ({ name }, digest) => r.appKeys.create({ name, appNames: null, origins: [] }, digest) },
    }),
  ),

  broken(
    "forgets return addresses",
    "keeps the return addresses of an app key in their order, wherever it is read",
    () => (r) => ({
      appKeys: { create: (appKey, digest) => r.appKeys.create({ ...appKey, returnAddresses: [] }, digest) },
    }),
  ),

  broken("gives all app keys one id", "gives every app key an id of its own", () => (r) => ({
    admission: {
      admit: async (request) => {
        const { appKey, ...rest } = await r.admission.admit(request);
        return { ...rest, appKey: appKey === null ? null : { ...appKey, id: "1" } };
      },
    },
  })),

  broken(
    "switches off an app key whose name is wanted again",
    "refuses a name that is taken, and changes nothing",
    () => (r) => ({
      appKeys: {
        create: async (appKey, digest) => {
          const outcome = await r.appKeys.create(appKey, digest);
          if (outcome === "nameTaken") await r.appKeys.setEnabled(appKey.name, false);
          return outcome;
        },
      },
    }),
  ),

  broken("takes names of app keys in any case", "compares names exactly", () => (r) => ({
    appKeys: { create: (appKey, digest) => r.appKeys.create({ ...appKey, name: appKey.name.toLowerCase() }, digest) },
  })),

  broken("has always switched an app key", "has nothing to switch under a name that no key has", () => (r) => ({
    appKeys: { setEnabled: async (name, enabled) => (await r.appKeys.setEnabled(name, enabled)) || true },
  })),

  broken("fails on names with a zero character", "has nothing to switch under a name that no key has", () => (r) => ({
    appKeys: {
      setEnabled: async (name, enabled) => {
        if (name.includes("\0")) throw new ServiceError(799);
        return r.appKeys.setEnabled(name, enabled);
      },
    },
  })),

  broken("escapes names for a page", "keeps the hostile texts of an app key as they are", () => (r) => ({
    appKeys: {
      create: (appKey, digest) => r.appKeys.create({ ...appKey, name: appKey.name.replaceAll("<", "&lt;") }, digest),
    },
  })),

  broken("does not know an application without seats", "knows the app names that were created", () => (r) => ({
    applications: {
      create: async (application) => (application.seats === 0 ? "created" : r.applications.create(application)),
    },
  })),

  broken("takes no names for all names", "knows nothing when it is asked for nothing", () => {
    const all: string[] = [];
    return (r) => ({
      applications: {
        create: (application) => {
          all.push(application.name);
          return r.applications.create(application);
        },
        known: async (names) => (names.length === 0 ? all : r.applications.known(names)),
      },
    });
  }),

  broken(
    "creates an application again and again",
    ["refuses a name that is taken", "creates a name once when it is wanted several times at once"],
    () => (r) => ({
      applications: {
        create: async (application) => {
          await r.applications.create(application);
          return "created";
        },
      },
    }),
  ),

  broken("remembers which app names are unknown", "see what others have kept meanwhile", () => {
    const remembered = new Map<string, Promise<string[]>>();
    return (r) => ({
      applications: {
        known: (names) => {
          const known = remembered.get(names.join()) ?? r.applications.known(names);
          remembered.set(names.join(), known);
          return known;
        },
      },
    });
  }),

  broken("makes nobody an administrator", "keeps an account as it was created, enabled", () => (r) => ({
    accounts: { create: (account, key) => r.accounts.create({ ...account, administrator: false }, key) },
  })),

  broken(
    "finds a way when a name is taken",
    ["refuses a login name that is taken", "refuses a second account for one user"],
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

  broken("stores secrets of nobody", "has no secret to replace for a user without an account", () => (r) => ({
    accounts: {
      setSecret: async (userId, secret, version) => {
        const disabledNobody = !(await r.accounts.setDisabled(userId, false));
        return disabledNobody ? "stored" : r.accounts.setSecret(userId, secret, version);
      },
    },
  })),

  broken("does not find disabled accounts", "disables and enables an account, and finds it either way", () => (r) => ({
    accounts: { forProof: findingAccounts(r, (account) => (account.disabled ? null : account)) },
  })),

  broken(
    "lists app names in the order of UTF-16",
    "lists app names with their seats by code points, part by part",
    () => (r) => ({
      applications: {
        list: async (after, limit) => {
          const all = await r.applications.list(null, 1_000);
          const sorted = all.toSorted((a, b) => (a.name < b.name ? -1 : 1));
          return sorted.filter(({ name }) => after === null || name > after).slice(0, limit);
        },
      },
    }),
  ),

  broken(
    "begins a part with the name that ended the last one",
    "lists app names with their seats by code points, part by part",
    () => (r) => ({
      applications: {
        list: async (after, limit) => {
          const all = await r.applications.list(null, 1_000);
          const start = all.findIndex(({ name }) => name === after);
          return start === -1 ? r.applications.list(after, limit) : all.slice(start, start + limit);
        },
      },
    }),
  ),

  broken(
    "leaves disabled app keys out of the list",
    "lists app keys as they are by code points, part by part",
    () => (r) => ({
      appKeys: { list: async (after, limit) => (await r.appKeys.list(after, limit)).filter(({ enabled }) => enabled) },
    }),
  ),

  broken("lists secrets", "lists accounts by code points, part by part, and nothing that opens them", () => (r) => ({
    accounts: {
      list: async (after, limit) => {
        const listed = await r.accounts.list(after, limit);
        const whole = await Promise.all(listed.map(({ loginName }) => r.accounts.forProof(loginName, [])));
        return whole.flatMap(({ account }) => account ?? []);
      },
    },
  })),

  broken(
    "gives every name to whoever wants it",
    "refuses with 307 a new name that is another's or confusable with it",
    () => (r) => ({
      accounts: {
        rename: async (userId, loginName, key) => {
          try {
            return await r.accounts.rename(userId, loginName, key);
          } catch {
            return r.accounts.rename(userId, `${loginName} 2`, `${key} 2`);
          }
        },
      },
    }),
  ),

  broken(
    "says that it renamed nobody",
    "finds an account by its new name alone, the rest of it unchanged",
    () => (r) => ({
      accounts: { rename: async (userId, loginName, key) => (await r.accounts.rename(userId, loginName, key)) || true },
    }),
  ),

  broken("looks whether a name is free before it is given", "gives a name to one of those who want it at once", () => {
    const keys = new Map<string, string>();
    return (r) => ({
      accounts: {
        rename: async (userId, loginName, key) => {
          if ((keys.get(key) ?? userId) !== userId) throw new ServiceError(307);
          await pause();
          keys.set(key, userId);
          return r.accounts.rename(userId, loginName, `${key} ${userId}`);
        },
      },
    });
  }),

  broken("cuts names at 255 characters", "keeps long names and secrets whole", () => (r) => ({
    accounts: {
      create: (account, key) => r.accounts.create({ ...account, loginName: account.loginName.slice(0, 255) }, key),
      forProof: (name, links) => r.accounts.forProof(name.slice(0, 255), links),
    },
  })),

  broken("cuts blanks off secrets", "keeps the hostile texts of an account as they are", () => (r) => ({
    accounts: { create: (account, key) => r.accounts.create({ ...account, secret: account.secret.trim() }, key) },
  })),
];

/** A `forProof` with a fault in the account that it finds. */
function findingAccounts(r: Repositories, fault: (account: Account) => Account | null): AccountRepository["forProof"] {
  return async (name, links) => {
    const found = await r.accounts.forProof(name, links);
    return found.account === null ? found : { ...found, account: fault(found.account) };
  };
}
