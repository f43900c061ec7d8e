import type { Attempt, ThrottlePolicy } from "@sallyport/core";
import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";

const forever: Partial<ThrottlePolicy> = { forgetAfter: Number.MAX_SAFE_INTEGER };

/** Faults in names, accounts, model, throttle and audit. */
export const brokenRecords: readonly BrokenAdapter[] = [
  broken("lets a claim through for all who ask at once", "lets one attempt through of those that come at once when a delay is over", () => (r) => ({
    throttle: {
      attempt: async (keys) => {
        const wait = await r.throttle.wait(keys);
        if (wait > 0) return { wait, claimed: false };
        await pause();
        await r.throttle.attempt(keys);
        return { wait: 0, claimed: true };
      },
    },
  })),

  broken("claims key by key", "claims nothing when one of several keys says wait", () => (r) => ({
    throttle: {
      attempt: async (keys) => {
        const attempts: Attempt[] = [];
        for (const key of keys) attempts.push(await r.throttle.attempt([key]));
        const wait = Math.max(0, ...attempts.map((attempt) => attempt.wait));
        return { wait, claimed: wait === 0 && attempts.some(({ claimed }) => claimed) };
      },
    },
  })),

  broken("claims when it is only asked for the wait", "changes nothing when it is asked for the wait", () => (r) => ({
    throttle: { wait: async (keys) => (await r.throttle.attempt(keys)).wait },
  })),

  broken("takes failures at once for one", "counts every failure of those that come at once", () => {
    let running: Promise<number> | undefined;
    return (r) => ({
      throttle: {
        fail: (keys) => {
          running ??= pause().then(() => r.throttle.fail(keys)).finally(() => (running = undefined));
          return running;
        },
      },
    });
  }),

  broken("never forgets", "forgets failures after a while without another", () => (r) => ({
    throttle: {
      attempt: (keys) => r.throttle.attempt(keys.map(({ key, policy }) => ({ key, policy: { ...policy, ...forever } }))),
      wait: (keys) => r.throttle.wait(keys.map(({ key, policy }) => ({ key, policy: { ...policy, ...forever } }))),
      fail: (keys) => r.throttle.fail(keys.map(({ key, policy }) => ({ key, policy: { ...policy, ...forever } }))),
    },
  })),

  broken("counts on the first key only", "counts a failure on every key, each by its own policy", () => (r) => ({
    throttle: { fail: (keys) => r.throttle.fail(keys.slice(0, 1)) },
  })),

  broken("clears by the beginning of a key", "forgets the failures of the keys that are cleared, and of no other", () => (r) => ({
    throttle: { clear: () => r.throttle.clear(["a", "b", "c"]) },
  })),

  broken("takes a claim for a failure", "does not take a claim for a failure", () => (r) => ({
    throttle: {
      attempt: async (keys) => {
        const attempt = await r.throttle.attempt(keys);
        if (attempt.claimed) await r.throttle.fail(keys);
        return attempt;
      },
    },
  })),

  ...["refuses a change of another generation than the current one", "lets one of those win who change one generation at once"].map((caughtBy) =>
    broken(`changes whatever generation there is, so that it never ${caughtBy}`, caughtBy, () => (r) => ({
      model: {
        change: async (delta) => {
          let outcome: "ok" | "stale" = "stale";
          while (outcome === "stale") outcome = await r.model.change(delta, (await r.model.load()).generation);
          return outcome;
        },
      },
    })),
  ),

  broken("merges the attributes of a class", "replaces a class whole", () => (r) => ({
    model: {
      change: async ({ put }, generation) => {
        const { classes } = await r.model.load();
        const merged = put.map((each) => {
          const old = classes.find(({ name }) => name === each.name);
          return { ...each, attributes: [...(old?.attributes ?? []), ...each.attributes] };
        });
        return r.model.change({ put: merged }, generation);
      },
    },
  })),

  broken("finds login names in any case", "finds an account by exactly its name", () => {
    const spellings = new Map<string, string>();
    return (r) => ({
      accounts: {
        create: (account, key) => {
          spellings.set(account.loginName.toLowerCase(), account.loginName);
          return r.accounts.create(account, key);
        },
        byLoginName: (name) => r.accounts.byLoginName(spellings.get(name.toLowerCase()) ?? name),
      },
    });
  }),

  broken("cuts a name at a zero character", "finds nobody under names that nobody can have", () => (r) => ({
    accounts: { byLoginName: (name) => r.accounts.byLoginName(name.replace(/\0.*$/s, "")) },
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

  broken("keeps the version of a secret", "replaces a secret and raises its version", () => (r) => ({
    accounts: {
      byLoginName: async (name) => {
        const account = await r.accounts.byLoginName(name);
        return account === null ? null : { ...account, secretVersion: 1 };
      },
    },
  })),

  broken("does not see blanks at the end of app names", "compares app names exactly", () => (r) => ({
    applications: { known: (names) => r.applications.known(names.map((name) => name.trimEnd())) },
  })),

  broken("names app names as often as it is asked", "names each app name once, however often it is asked for", () => (r) => ({
    applications: {
      known: async (names) => {
        const known = await r.applications.known(names);
        return names.filter((name) => known.includes(name));
      },
    },
  })),

  broken("looks for a free name, then takes it", "creates one app key of those that want one name at once", () => (r) => ({
    appKeys: {
      create: async (appKey, digest) => {
        const free = !(await r.appKeys.setEnabled(appKey.name, true));
        await pause();
        if (free) await r.appKeys.create(appKey, digest);
        return free ? "created" : "nameTaken";
      },
    },
  })),

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

  broken("shows the newest event first", "keeps events as they were appended, in order", () => (r) => ({
    audit: { read: async (after, limit) => (await r.audit.read(after, limit)).toReversed() },
  })),

  broken("reads the last event again", "reads on from where a reader stopped", () => (r) => ({
    audit: { read: (after, limit) => r.audit.read(after - 1, limit) },
  })),

  broken("loses events that come at once", "keeps every event of those appended at once", () => {
    let busy = false;
    return (r) => ({
      audit: {
        append: async (event) => {
          if (busy) return;
          busy = true;
          await r.audit.append(event);
          busy = false;
        },
      },
    });
  }),
];
