import { type Admission, type Digest, type Repositories, seesAll, type StoredObject } from "@sallyport/storage";
import { type BrokenAdapter, broken } from "./broken-adapter.ts";

const inTheUser = "returns groups of a derived class and groups in the recycle bin";

/** An admission with only those groups that are live objects and pass the filter. */
async function withGroups(
  r: Repositories,
  admission: Admission,
  wanted: (group: StoredObject) => boolean,
): Promise<Admission> {
  const { principal } = admission;
  if (principal === null) return admission;
  const groups = (await r.objects.get(principal.groups, seesAll)).filter(wanted).map(({ id }) => id);
  return { ...admission, principal: { ...principal, groups } };
}

/** Resolves after the calls that wait for no transaction. */
async function soon(): Promise<number> {
  for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
  return 1;
}

/** Faults in admission. */
export const brokenAdmissions: readonly BrokenAdapter[] = [
  broken(
    "caches admissions",
    [
      "admits no ended session, starting with the next request",
      "admits no session of a disabled account",
      "admits no session after the secret that opened it is replaced",
      "reports a disabled app key immediately while sessions are in use",
      "reports the maintenance switch with every admission",
      "reports the generation of the model",
    ],
    () => {
      const remembered = new Map<string, Promise<Admission>>();
      return (r) => ({
        admission: {
          admit: (request) => {
            const key = `${request.appKey} ${request.session}`;
            const admission = remembered.get(key) ?? r.admission.admit(request);
            if (request.session !== null) remembered.set(key, admission);
            return admission;
          },
        },
      });
    },
  ),

  broken(
    "looks up a session without its app key",
    ["admits a session only with the app key that opened it", "does not extend a session with a refused request"],
    () => {
      const digests = new Set<Digest>();
      return (r) => ({
        appKeys: {
          create: async (appKey, digest) => {
            digests.add(digest);
            return r.appKeys.create(appKey, digest);
          },
        },
        admission: {
          admit: async (request) => {
            const own = await r.admission.admit(request);
            if (request.appKey === null || request.session === null) return own;
            for (const appKey of digests) {
              const { session, principal } = await r.admission.admit({ ...request, appKey });
              if (session !== null) return { ...own, session, principal };
            }
            return own;
          },
        },
      });
    },
  ),

  broken(
    "ignores the mode of a session",
    ["returns no session for another mode than the requested one", "looks up a session in session-id mode by default"],
    () => (r) => ({
      admission: {
        admit: async (request) => {
          const own = await r.admission.admit(request);
          for (const mode of ["session", "token", "secure"] as const) {
            const { session, principal } = await r.admission.admit({ ...request, mode });
            if (session !== null) return { ...own, session, principal };
          }
          return own;
        },
      },
    }),
  ),

  broken(
    "answers the end of a session before a transaction that has locked it ends",
    "ends a session that a transaction has locked after the transaction",
    () => (r) => ({
      sessions: { end: (selector) => Promise.race([r.sessions.end(selector), soon()]) },
    }),
  ),

  broken("admits a session without an app key", "admits no session without an app key", () => {
    let last: Digest | null = null;
    return (r) => ({
      admission: {
        admit: async (request) => {
          last = request.appKey ?? last;
          return {
            ...(await r.admission.admit({ ...request, appKey: last })),
            ...(request.appKey === null ? { appKey: null } : {}),
          };
        },
      },
      appKeys: {
        create: async (appKey, digest) => {
          last = digest;
          return r.appKeys.create(appKey, digest);
        },
      },
    });
  }),

  broken("reports a disabled app key as enabled", "reports a disabled app key as disabled", () => (r) => ({
    admission: {
      admit: async (request) => {
        const admission = await r.admission.admit(request);
        return { ...admission, appKey: admission.appKey === null ? null : { ...admission.appKey, enabled: true } };
      },
    },
  })),

  broken("hides a disabled app key", "reports a disabled app key as disabled", () => (r) => ({
    admission: {
      admit: async (request) => {
        const admission = await r.admission.admit(request);
        return admission.appKey?.enabled === false ? { ...admission, appKey: null } : admission;
      },
    },
  })),

  broken("admits disabled accounts", "admits no session of a disabled account", () => {
    const disabled = new Map<string, boolean>();
    return (r) => ({
      accounts: {
        change: async (id, change) => {
          if (change.disabled === undefined) return r.accounts.change(id, change);
          disabled.set(id, change.disabled);
          return true;
        },
        find: async (selector, links) => {
          const found = await r.accounts.find(selector, links);
          const { account } = found;
          return account === null
            ? found
            : { ...found, account: { ...account, disabled: disabled.get(account.id) ?? false } };
        },
      },
    });
  }),

  broken(
    "takes the current version of a secret when it opens a session",
    "admits no session that is opened with an already replaced secret",
    () => {
      const versions = new Map<string, number>();
      return (r) => ({
        accounts: {
          setSecret: async (userId, secret, version) => {
            const outcome = await r.accounts.setSecret(userId, secret, version);
            if (outcome === "stored") versions.set(userId, version + 1);
            return outcome;
          },
        },
        sessions: {
          open: (session, policy) =>
            r.sessions.open(
              { ...session, secretVersion: versions.get(session.userId) ?? session.secretVersion },
              policy,
            ),
        },
      });
    },
  ),

  broken("returns no groups", "returns the groups of the user", () => (r) => ({
    admission: {
      admit: async (request) => {
        const { principal, ...rest } = await r.admission.admit(request);
        return { ...rest, principal: principal === null ? null : { ...principal, groups: [] } };
      },
    },
  })),

  broken("returns only groups of exactly the group class", inTheUser, () => (r) => ({
    admission: {
      admit: async (request) =>
        withGroups(r, await r.admission.admit(request), ({ className }) => className === "UserGroup"),
    },
  })),

  broken("omits groups in the recycle bin", inTheUser, () => (r) => ({
    admission: { admit: async (request) => withGroups(r, await r.admission.admit(request), () => true) },
  })),

  broken("reports every user as an administrator", "distinguishes administrators from other users", () => (r) => ({
    admission: {
      admit: async (request) => {
        const { principal, ...rest } = await r.admission.admit(request);
        return { ...rest, principal: principal === null ? null : { ...principal, administrator: true } };
      },
    },
  })),

  broken("reads an admission in two steps", "reads an admission as one consistent snapshot", () => (r) => ({
    admission: {
      admit: async (request) => {
        const { session, principal } = await r.admission.admit(request);
        await r.sessions.count();
        return { ...(await r.admission.admit(request)), session, principal };
      },
    },
  })),

  broken("returns additional members of a session", "returns a session as opened, with its principal", () => (r) => ({
    admission: {
      admit: async (request) => {
        const admission = await r.admission.admit(request);
        const session = admission.session === null ? null : { ...admission.session, digest: request.session };
        return { ...admission, session };
      },
    },
  })),

  broken("returns the last app key for an unknown digest", "returns no app key for an unknown digest", () => {
    let last: Digest | null = null;
    return (r) => ({
      appKeys: {
        create: async (appKey, digest) => {
          last = digest;
          return r.appKeys.create(appKey, digest);
        },
      },
      admission: {
        admit: async (request) => {
          const admission = await r.admission.admit(request);
          const unknown = admission.appKey === null && request.appKey !== null;
          return unknown ? r.admission.admit({ ...request, appKey: last }) : admission;
        },
      },
    });
  }),

  broken("returns the last session for an unknown digest", "returns no session for an unknown digest", () => {
    let last: Digest | null = null;
    return (r) => ({
      sessions: {
        open: async (session, policy) => {
          last = session.digest;
          return r.sessions.open(session, policy);
        },
      },
      admission: {
        admit: async (request) => {
          const admission = await r.admission.admit(request);
          const unknown = admission.session === null && request.session !== null;
          return unknown ? r.admission.admit({ ...request, session: last }) : admission;
        },
      },
    });
  }),

  broken(
    "reports a wrong model generation",
    ["admits neither app key nor session if the request names none", "reports the generation of the model"],
    () => (r) => ({
      admission: {
        admit: async (request) => {
          const admission = await r.admission.admit(request);
          return { ...admission, modelGeneration: admission.modelGeneration + 1 };
        },
      },
    }),
  ),

  broken(
    "fails for a user without a groups attribute",
    "returns no groups for a user without a groups attribute",
    () => (r) => ({
      admission: {
        admit: async (request) => {
          const { principal, ...rest } = await r.admission.admit(request);
          if (principal?.groups.length !== 0) return { ...rest, principal };
          return { ...rest, principal: { ...principal, groups: undefined as never } };
        },
      },
    }),
  ),
];
